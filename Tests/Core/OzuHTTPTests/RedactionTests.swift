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

  @Test(
    "the digest is SHA-256",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1000),
        "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"
      ),
    ])
  func digest(_ text: String, _ digest: String) {
    #expect(SHA256.hexDigest(of: text) == digest)
  }
}
