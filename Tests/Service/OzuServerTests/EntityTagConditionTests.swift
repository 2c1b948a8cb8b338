import OzuHTTP
import Testing

@testable import OzuServer

@Suite("If-None-Match (RFC 9110 §13.1.2)")
struct EntityTagConditionTests {
  @Test(
    "matches by the weak comparison",
    arguments: [
      ("\"a\"", true), ("W/\"a\"", true), ("\"b\", W/\"a\"", true), ("\"b\",\"a\"", true), ("*", true),
      ("\"b\"", false), ("\"A\"", false), ("a", false), ("\"b,a\"", false), ("\"a", false), ("", false),
      ("\"a\", *", true), ("**", false), ("\"\"", false),
    ])
  func matching(value: String, isMatch: Bool) {
    #expect(EntityTagCondition(["If-None-Match": value])?.matches("W/\"a\"") == isMatch)
    #expect(EntityTagCondition(["If-None-Match": value])?.matches("\"a\"") == isMatch)
  }

  @Test("several fields are one list; without a field there is no condition")
  func fields() {
    var headers = HTTPHeaders()
    #expect(EntityTagCondition(headers) == nil)
    headers.add(name: "If-None-Match", value: "\"a\"")
    headers.add(name: "if-none-match", value: "\"b\"")
    #expect(EntityTagCondition(headers)?.matches("\"b\"") == true)
  }
}
