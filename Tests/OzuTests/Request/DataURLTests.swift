import Foundation
import Testing

@testable import Ozu

@Suite struct DataURLTests {
  @Test(
    "the data of a URL (RFC 2397)",
    arguments: [
      ("data:,Hello%2C%20world", "Hello, world"), ("data:text/plain;base64,SGVsbG8=", "Hello"),
      ("data:;base64,SGVsbG8%3D", "Hello"), ("DATA:image/png;x=y;BASE64,SGVsbG8=", "Hello"), ("data:,", ""),
      ("data:,a,b", "a,b"),
    ])
  func content(_ address: String, _ text: String) {
    #expect(DataURL.decode(address) == Data(text.utf8))
  }

  @Test(
    "malformed URLs have no data",
    arguments: ["data:", "data:image/png", "dat:,a", "data:,%4", "data:,%zz"])
  func malformed(_ address: String) {
    #expect(DataURL.decode(address) == nil)
  }
}
