import Foundation
import Testing

@testable import Ozu

@Suite struct DataURLTests {
  @Test(
    "the data of a URL (RFC 2397)",
    arguments: [
      ("data:,Hello%2C%20world", "Hello, world"), ("data:text/plain;base64,SGVsbG8=", "Hello"),
      ("data:;base64,SGVsbG8%3D", "Hello"), ("DATA:image/png;x=y;BASE64,SGVsbG8=", "Hello"), ("data:,", ""),
      ("data:,a,b", "a,b"), ("data:;base64,SGVsbG8", "Hello"), ("data:;base64,SGVsbA", "Hell"),
      ("data:image/png; base64,SGVsbG8=", "Hello"), ("data:image/png;%20base64,SGVsbG8=", "Hello"),
      ("data:;base64 ,SGVs bG8=", "Hello"), ("data:;base64,SGVs%0AbG8=", "Hello"),
      ("data:;base64,SGVsbG8=#part", "Hello"), ("data:;base64,SGVsbG8#abcd", "Hello"),
      ("data:,Hello#World", "Hello"), ("data:,Hello%23World", "Hello#World"),
    ])
  func content(_ address: String, _ text: String) {
    #expect(DataURL.decode(address) == Data(text.utf8))
  }

  @Test(
    "malformed URLs have no data",
    arguments: [
      "data:", "data:image/png", "dat:,a", "data:,%4", "data:,%zz", "data:;base64,SGVsb",
      "data:;base64,SGVs*G8=",
      "data:;base64,SG=sbG8=", "data:#,a",
    ])
  func malformed(_ address: String) {
    #expect(DataURL.decode(address) == nil)
  }
}
