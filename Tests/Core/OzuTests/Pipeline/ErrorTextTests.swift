import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Errors in one line")
struct ErrorTextTests {
  private struct Plain: Error, CustomStringConvertible { let description: String }

  private static let noSpace = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))

  private static var cases: [(any Error, String)] {
    #if canImport(Darwin)
      // Elsewhere the text is Foundation's dump: to read it takes the whole of Foundation.
      let lamp = NSError(domain: "of.an.app", code: 3, userInfo: [NSLocalizedDescriptionKey: "no lamp"])
      return plainCases + [(lamp, "no lamp")]
    #else
      return plainCases
    #endif
  }

  private static let plainCases: [(any Error, String)] = [
    (Plain(description: "the lamp is broken"), "the lamp is broken"),
    (Plain(description: "two\nlines"), "two lines"),
    (Plain(description: "\u{1B}[2J"), "\\u001b[2J"),
    (Self.noSpace, "No space left on device"),
    (
      CocoaError(
        .fileWriteOutOfSpace, userInfo: [NSFilePathErrorKey: "/a/b", NSUnderlyingErrorKey: noSpace]),
      "/a/b: No space left on device"
    ),
    (POSIXError(.EACCES), "Permission denied"),
    (CocoaError(.fileReadTooLarge, userInfo: [NSFilePathErrorKey: "/a/b"]), "/a/b: error 263"),
  ]

  @Test("an error states its cause, without a debug dump of Foundation", arguments: cases.indices)
  func line(_ index: Int) {
    let (error, text) = Self.cases[index]
    #expect(error.oneLine == text)
    #expect(
      ImageError.fetchFailed("a.jpg", underlying: error).description == "a.jpg: fetching failed: \(text)")
  }

  private struct Preparing: HTTPRequestPreparing {
    let error: any Error
    func willSend(_ request: HTTPRequest) async throws -> HTTPRequest { throw error }
  }

  @Test("the same if a closure or a hook of the app throws", arguments: cases.indices)
  func closures(_ index: Int) async {
    let (error, text) = Self.cases[index]
    let step = ProcessingError.failed("custom(1:a)", reason: text)
    #expect(throws: step) {
      try Picture(Fixture.photo.bitmap).processed(by: [.custom("a") { _ in throw error }])
    }
    let pipeline = ImagePipeline.testing(client: FakeHTTPClient()) {
      $0.network.requestPreparation = Preparing(error: error)
    }
    let failure = await #expect(throws: ImageError.self) {
      try await pipeline.image(for: Fixture.url("a.jpg"))
    }
    #expect(failure?.explanation.hasSuffix("cannot be sent: preparing it failed: \(text)") == true)
  }

  @Test("the name of a source contains no control characters for a terminal")
  func name() {
    #expect(ImageError.noSuchFile("/a\u{1B}[2J\nb").description == "/a\\u001b[2J b: no such file")
  }

  @Test("the error of Foundation for a missing file")
  func real() throws {
    let error = try #require(throws: (any Error).self) {
      try FileManager.default.contentsOfDirectory(atPath: "/no/such/folder")
    }
    #expect(!error.oneLine.contains("Domain") && !error.oneLine.contains("UserInfo"))
    #expect(error.oneLine.contains("/no/such/folder"))
  }
}
