import Testing

@testable import OzuHTTP

@Suite("Redacted addresses")
struct RedactionTests {
  @Test(
    "keeps scheme, host, port and path",
    arguments: [
      ("https://example.com/a.jpg", "https://example.com/a.jpg"),
      ("http://[::1]:8080/a", "http://[::1]:8080/a"),
      ("http://u:p@[::1]/a", "http://[::1]/a"),
      ("https://user:s3cret@example.com:81/a%20b?token=s3cret#s3cret", "https://example.com:81/a%20b?…"),
      ("https://user:a@b@example.com/", "https://example.com/"),
      ("https://user@example.com", "https://example.com"),
      ("https://example.com?s3cret", "https://example.com?…"),
      ("https://example.com/a#s3cret", "https://example.com/a?…"),
      ("https://example.com/@scope/a", "https://example.com/@scope/a"),
      ("https://user:s3/cret@example.com/", "https://…"),
      ("//user:s3cret@example.com/a?b", "//example.com/a?…"),
      ("/a/b?s3cret", "/a/b?…"),
      ("a/b:c", "a/b:c"),
      ("mailto:s3cret@example.com", "mailto:…"),
      ("", ""),
    ])
  func address(_ text: String, _ shown: String) {
    #expect(Redaction.address(text) == shown)
    #expect(Redaction.address(shown) == shown)
  }

  @Test("finds the addresses in a text")
  func text() {
    let text = "<https://u:p@h/a?b>; rel=\"x\", <http://i/c> key:http://j?k resize(1)"
    #expect(Redaction.text(text) == "<https://h/a?…>; rel=\"x\", <http://i/c> key:http://j?… resize(1)")
  }

  @Test("a redacted URL is still a URL")
  func ofURL() {
    #expect(Redaction.url(url("https://u:p@h:1/a%20b?c#d")) == url("https://h:1/a%20b"))
    #expect(Redaction.url(url("https://h/a")) == url("https://h/a"))
  }
}
