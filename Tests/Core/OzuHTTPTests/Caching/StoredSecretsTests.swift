import Testing

@testable import OzuHTTP

@Suite("Responses as they are written to a disk")
struct StoredSecretsTests {
  private static let address = url("https://user:s3cret@example.com/a?token=s3cret")

  private func response(_ headers: HTTPHeaders, status: Int = 200, selecting: HTTPHeaders = [:])
    -> HTTPStoredResponse
  {
    HTTPStoredResponse(
      status: status, headers: headers, url: Self.address, requestDate: noon, responseDate: noon,
      selectingHeaders: selecting)
  }

  @Test("no secret is left in URL, fields and variants, and the rest stays")
  func nothingLeft() throws {
    let stored = try #require(
      response(
        [
          "Set-Cookie": "id=s3cret", "authorization": "s3cret", "ETag": "\"1\"", "Vary": "X-Key, Accept",
          "Content-Location": "/b?s3cret", "Link": "<https://h/b?s3cret>; rel=next, </c?s3cret>",
          "Refresh": "9; url=/b?s3cret",
        ], selecting: ["x-key": "s3cret", "accept": "image/*"]
      ).withoutSecrets)
    #expect(!"\(stored.url) \(Array(stored.headers)) \(Array(stored.selectingHeaders))".contains("s3cret"))
    #expect(stored.headers["ETag"] == "\"1\"")
    #expect(stored.selectingHeaders["accept"] == "image/*")
    #expect(stored.withoutSecrets == stored)
  }

  @Test("its URL and its variant can still be compared with others")
  func comparable() throws {
    let stored = try #require(response(["Vary": "X-Key"], selecting: ["x-key": "s3cret"]).withoutSecrets)
    #expect(stored.isFrom(Self.address))
    #expect(!stored.isFrom(url("https://user:s3cret@example.com/a?token=other")))
    #expect(!stored.isFrom(url("https://example.com/a")))
    let vary = HTTPVary(stored.headers)
    #expect(vary.matches(request(["X-Key": "s3cret"]), stored: stored.selectingHeaders))
    #expect(!vary.matches(request(["X-Key": "other"]), stored: stored.selectingHeaders))
    #expect(!vary.matches(request(), stored: stored.selectingHeaders))
    // The same variant replaces the stored one; another variant does not.
    let again = response(["Vary": "X-Key"], selecting: ["x-key": "s3cret"])
    #expect(HTTPVariants.place(for: again, replacing: nil, among: [0: stored]).place == 0)
    let other = response(["Vary": "X-Key"], selecting: ["x-key": "other"])
    #expect(HTTPVariants.place(for: other, replacing: nil, among: [0: stored]).place == 1)
  }

  @Test("a redirect whose target contains a secret is not written; other redirects are")
  func redirects() {
    #expect(response(["Location": "/b?s3cret"], status: 302).withoutSecrets == nil)
    #expect(response(["Location": "https://u:s3cret@h/"], status: 301).withoutSecrets == nil)
    #expect(response(["Location": "/b"], status: 302).withoutSecrets?.headers["Location"] == "/b")
  }
}
