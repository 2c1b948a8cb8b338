import Testing

@testable import OzuHTTP

@Suite("Cache-Control (RFC 9111 §5.2)")
struct CacheControlTests {
  @Test(
    "seconds: any case, quoted or not; the shortest of several; nonsense is 0; too many are 2^31",
    arguments: [
      (["max-age=60"], 60), (["MAX-AGE=60"], 60), (["max-age=\"60\""], 60), (["max-age=0060"], 60),
      (["public, max-age=60"], 60), (["a=\"x, max-age=1\", max-age=60"], 60), ([" max-age=60 "], 60),
      (["max-age =60"], 0), (["max-age= 60"], 0),
      (["max-age=60", "max-age=5"], 5), (["max-age=5, max-age=60"], 5), (["max-age=-1"], 0),
      (["max-age=60a"], 0), (["max-age=6.0"], 0), (["max-age='60'"], 0), (["max-age="], 0), (["max-age"], 0),
      (["max-age=99999999999999999999999"], 1 << 31), (["a=\"max-age=60\""], nil), (["s-maxage=60"], nil),
      (["x\\\"max-age=1"], nil), (["a=\"\\\", max-age=1\""], nil), ([",,max-age=60,,"], 60), ([], nil),
    ] as [([String], Int?)])
  func seconds(_ lines: [String], _ expected: Int?) {
    let headers = HTTPHeaders(lines.map { .init(name: "Cache-Control", value: $0) })
    #expect(CacheControl(headers).seconds("max-age") == expected)
  }

  @Test(
    "a directive is limited to field names only if each occurrence is",
    arguments: [
      ("no-cache", []), ("no-cache=\"Set-Cookie, X-A\"", ["Set-Cookie", "X-A"]),
      ("no-cache=X-A", ["X-A"]), ("no-cache=\"X-A\", no-cache", []), ("no-cache=\"\"", []), ("public", nil),
    ] as [(String, [String]?)])
  func fieldNames(_ text: String, _ expected: [String]?) {
    #expect(CacheControl(["Cache-Control": text]).fieldNames("no-cache") == expected)
  }
}
