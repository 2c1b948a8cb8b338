import OzuServer
import Testing

@Suite("The answers of a service")
struct ServiceResponseTests {
  @Test("has no body by default")
  func empty() {
    let response = ServiceResponse(status: 304, headers: ["ETag": "\"a\""])
    #expect(response.body.isEmpty)
    #expect(response.headers["etag"] == "\"a\"")
  }
}
