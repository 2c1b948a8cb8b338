import Foundation
import Ozu
import Testing

@Suite("Errors in one line")
struct ErrorTextTests {
  private struct Plain: Error, CustomStringConvertible { let description: String }

  private static let noSpace = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))

  private static let cases: [(any Error, String)] = [
    (Plain(description: "the lamp is broken"), "the lamp is broken"),
    (Plain(description: "two\nlines"), "two lines"),
    (Self.noSpace, "No space left on device"),
    (
      CocoaError(
        .fileWriteOutOfSpace, userInfo: [NSFilePathErrorKey: "/a/b", NSUnderlyingErrorKey: noSpace]),
      "/a/b: No space left on device"
    ),
    (
      NSError(domain: "of.an.app", code: 3, userInfo: [NSLocalizedDescriptionKey: "no lamp"]), "no lamp"
    ),
  ]

  @Test("an error says its cause, and never a dump of Foundation's", arguments: cases.indices)
  func line(_ index: Int) {
    let (error, text) = Self.cases[index]
    #expect(error.oneLine == text)
    #expect(
      ImageError.fetchFailed("a.jpg", underlying: error).description == "a.jpg: fetching failed: \(text)")
  }

  @Test("what Foundation throws for a file that is not there")
  func real() throws {
    let error = try #require(throws: (any Error).self) {
      try FileManager.default.contentsOfDirectory(atPath: "/no/such/folder")
    }
    #expect(!error.oneLine.contains("Domain") && !error.oneLine.contains("UserInfo"))
    #expect(error.oneLine.contains("/no/such/folder"))
  }
}
