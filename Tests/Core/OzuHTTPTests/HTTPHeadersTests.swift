import Testing

@testable import OzuHTTP

@Suite("HTTP header fields")
struct HTTPHeadersTests {
  @Test("names are found in any case", arguments: ["content-type", "CONTENT-TYPE", "Content-Type"])
  func caseInsensitive(name: String) {
    let headers: HTTPHeaders = ["Content-Type": "image/png"]
    #expect(headers[name] == "image/png")
    #expect(headers.contains(name: name))
    #expect(headers.first(name) == "image/png")
  }

  @Test("names match as ASCII only: the Kelvin sign is not a K")
  func asciiOnly() {
    let headers: HTTPHeaders = ["\u{212A}eep": "1"]
    #expect(headers["keep"] == nil)
  }

  @Test("lines with one name keep their order, and are joined with commas")
  func repeated() {
    var headers: HTTPHeaders = ["A": "1", "Vary": "Accept", "B": "2"]
    headers.add(name: "vary", value: "Cookie")
    #expect(headers.map(\.name) == ["A", "Vary", "B", "vary"])
    #expect(headers.values(for: "VARY") == ["Accept", "Cookie"])
    #expect(headers["Vary"] == "Accept, Cookie")
    #expect(headers.first("Vary") == "Accept")
  }

  @Test("setting replaces every line of the name at the place of the first")
  func replacing() {
    var headers: HTTPHeaders = ["X": "1", "Y": "2", "x": "3", "X": "4"]
    headers["x"] = "5"
    #expect(headers == ["x": "5", "Y": "2"])
    headers["Z"] = "6"
    #expect(headers == ["x": "5", "Y": "2", "Z": "6"])
    headers["X"] = nil
    #expect(headers == ["Y": "2", "Z": "6"])
  }

  @Test(
    "white space around values is cut off, inside it stays",
    arguments: [
      (" a b\t", "a b"), ("", ""), (" \t ", ""), ("a", "a"), ("\u{A0}a", "\u{A0}a"),
    ])
  func trimming(written: String, read: String) {
    #expect(HTTPHeaders.Field(name: "X", value: written).value == read)
  }

  @Test("sections are equal without regard to the case of names, but not of values")
  func equality() {
    let a: HTTPHeaders = ["ETag": "\"a\""]
    #expect(a == ["etag": "\"a\""])
    #expect(a.hashValue == (["etag": "\"a\""] as HTTPHeaders).hashValue)
    #expect(a != ["etag": "\"A\""])
  }

  @Test("a printed section hides credentials", arguments: ["Authorization", "cookie", "Proxy-Authorization"])
  func secrets(name: String) {
    let headers: HTTPHeaders = [name: "secret", "Accept": "image/*"]
    #expect(!headers.description.contains("secret"))
    #expect(headers.description.contains("Accept: image/*"))
  }
}
