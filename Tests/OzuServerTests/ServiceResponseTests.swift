import OzuServer
import Testing

@Suite("What a service answers")
struct ServiceResponseTests {
  @Test("has no body unless it is given one")
  func empty() {
    let response = ServiceResponse(status: 304, headers: ["ETag": "\"a\""])
    #expect(response.body.isEmpty)
    #expect(response.headers["etag"] == "\"a\"")
  }
}
