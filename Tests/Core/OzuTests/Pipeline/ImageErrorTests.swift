import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Errors of requests")
struct ImageErrorTests {
  private struct Broken: Error, CustomStringConvertible { let description: String }

  /// An error of each kind, and its text without the source.
  private static let table: [(error: ImageError, text: String)] = [
    (.invalidSource("a", reason: "the address is relative"), "the address is relative"),
    (
      .invalidSize(PixelSize(0, 10), source: "a"),
      "a size of 0x10 cannot be made; both sides must be from 1 to \(ImageRequest.maximumSide)"
    ),
    (.noSuchFile("a"), "no such file"),
    (.isDirectory("a"), "this is a folder, not a file"),
    (.unreadableFile("a", code: ENOENT), "the file cannot be read: No such file or directory"),
    (.httpStatus(404, source: "a"), "the server answered 404 (Not Found)"),
    (.nameNotResolved("a", underlying: nameNotResolved), nameNotResolved.message),
    (.connectionRefused("a", underlying: refused), refused.message),
    (.timedOut("a", underlying: slow), slow.message),
    (.bodyTruncated("a", underlying: short), short.message),
    (.bodyTooLarge("a", limit: 100), "more than the limit of 100 bytes"),
    (.transport("a", underlying: lost), lost.message),
    (.fetchFailed("a", underlying: Broken(description: "out of tape")), "fetching failed: out of tape"),
    (.emptyData("a"), "there are no bytes"),
    (.notAnImage("a", kind: "an HTML page"), "this is an HTML page, not an image"),
    (.unsupportedType("a", type: .png, reason: "built without it"), "PNG cannot be read: built without it"),
    (.corruptData("a", type: .jpeg, stage: "scan", reason: "no table"), "corrupt JPEG (scan): no table"),
    (.truncatedData("a", type: .jpeg, stage: "scan"), "truncated JPEG: the file ends in its scan"),
    (
      .regionOutside("a", region: region, size: PixelSize(4, 4)),
      "the part of 2x3 at 9,8 lies outside the picture of 4x4"
    ),
    (.limitExceeded("a", violation: violation), "refused: \(violation)"),
    (
      .decoderFailed("a", type: .webp, failure: .crashed(signal: 11)), "the WebP decoder crashed by SIGSEGV"
    ),
    (.processingFailed("a", underlying: .failed("blur", reason: "too wide")), "blur failed: too wide"),
    (.encodingFailed("a", underlying: .unsupportedType(.heic)), "HEIC cannot be written"),
    (.notCached("a"), "not in the caches"),
    (.cancelled("a"), "cancelled"),
    (.deadlineExceeded("a", stage: .decode), "not done in time (stage: decode)"),
  ]

  private static let nameNotResolved = HTTPError(.nameNotResolved)
  private static let refused = HTTPError(.connectionRefused)
  private static let slow = HTTPError(.timedOut(.idle))
  private static let short = HTTPError(.bodyTruncated(received: 1, expected: 2))
  private static let lost = HTTPError(.connectionLost)
  private static let region = PixelRectangle(x: 9, y: 8, width: 2, height: 3)
  private static let violation = DecodingLimits.Violation(.pixelCount, value: 9, limit: 4)

  @Test("each kind has its text, its name, and the source first", arguments: table.indices)
  func text(_ index: Int) {
    let (error, text) = Self.table[index]
    #expect(error.explanation == text)
    #expect(error.description == "a: \(text)")
    #expect((error as any Error).localizedDescription == "a: \(text)")
    if let cause = error.underlying, error.kind != .fetchFailed, error.kind != .cancelled {
      #expect(cause.localizedDescription == "\(cause)")
    }
    #expect(error.source == "a")
    #expect("\(error.kind)" == error.kind.name)
  }

  @Test("a deadline of the whole request names no stage, and a status without a phrase none")
  func shortTexts() {
    #expect(ImageError.deadlineExceeded("a", stage: .total).explanation == "not done in time")
    #expect(ImageError.httpStatus(418, source: "a").explanation == "the server answered 418")
  }

  @Test("a name that is not UTF-8 is said to be so", arguments: ["/caf\u{FFFD}.jpg", "file:///caf%E9.jpg"])
  func foreignName(source: String) {
    #expect(ImageError.noSuchFile(source).explanation == "no such file, or its name is not UTF-8: rename it")
  }

  @Test("the table has each kind once, and no two have one name")
  func complete() {
    #expect(Self.table.map(\.error.kind) == ImageError.Kind.all)
    #expect(Set(ImageError.Kind.all.map(\.name)).count == ImageError.Kind.all.count)
    let patterns: [ImageError.Kind] = [
      ImageError.invalidSource, ImageError.invalidSize, ImageError.noSuchFile, ImageError.isDirectory,
      ImageError.unreadableFile, ImageError.httpStatus, ImageError.nameNotResolved,
      ImageError.connectionRefused, ImageError.timedOut, ImageError.bodyTruncated, ImageError.bodyTooLarge,
      ImageError.transport, ImageError.fetchFailed, ImageError.emptyData, ImageError.notAnImage,
      ImageError.unsupportedType, ImageError.corruptData, ImageError.truncatedData, ImageError.regionOutside,
      ImageError.limitExceeded, ImageError.decoderFailed, ImageError.processingFailed,
      ImageError.encodingFailed, ImageError.notCached, ImageError.cancelled, ImageError.deadlineExceeded,
    ]
    #expect(patterns == ImageError.Kind.all)
  }

  @Test("a kind has its details, and no others")
  func details() {
    /// The names of the details that are there.
    func details(_ error: ImageError) -> [String] {
      let all: [(String, Any?)] = [
        ("statusCode", error.statusCode), ("systemErrorCode", error.systemErrorCode),
        ("byteLimit", error.byteLimit), ("stage", error.stage), ("size", error.size),
        ("region", error.region),
        ("imageType", error.imageType), ("violation", error.violation),
        ("decoderFailure", error.decoderFailure),
      ]
      return all.filter { $0.1 != nil }.map(\.0)
    }
    let expected: [ImageError.Kind: [String]] = [
      .invalidSize: ["size"], .unreadableFile: ["systemErrorCode"], .httpStatus: ["statusCode"],
      .bodyTooLarge: ["byteLimit"], .unsupportedType: ["imageType"], .corruptData: ["imageType"],
      .truncatedData: ["imageType"], .regionOutside: ["size", "region"], .limitExceeded: ["violation"],
      .decoderFailed: ["imageType", "decoderFailure"], .deadlineExceeded: ["stage"],
    ]
    for (error, _) in Self.table {
      #expect(details(error) == expected[error.kind, default: []], "\(error.kind)")
    }
    #expect(ImageError.httpStatus(404, source: "a").statusCode == 404)
    #expect(ImageError.unreadableFile("a", code: ENOENT).systemErrorCode == ENOENT)
    #expect(ImageError.bodyTooLarge("a", limit: 100).byteLimit == 100)
    #expect(ImageError.deadlineExceeded("a", stage: .decode).stage == .decode)
    #expect(ImageError.invalidSize(PixelSize(0, 10), source: "a").size == PixelSize(0, 10))
    let outside = ImageError.regionOutside("a", region: Self.region, size: PixelSize(4, 4))
    #expect(outside.region == Self.region && outside.size == PixelSize(4, 4))
    #expect(ImageError.limitExceeded("a", violation: Self.violation).violation == Self.violation)
    let crash = ImageError.decoderFailed("a", type: .webp, failure: .crashed(signal: 11))
    #expect(crash.imageType == .webp && crash.decoderFailure == .crashed(signal: 11))
  }

  @Test("the underlying error is that of the module or of the app, and of a cancellation that of Swift")
  func underlying() {
    #expect(ImageError.timedOut("a", underlying: Self.slow).underlying as? HTTPError == Self.slow)
    #expect(ImageError.emptyData("a").underlying as? ImageDecodingError == .emptyData)
    #expect(ImageError.fetchFailed("a", underlying: Broken(description: "b")).underlying is Broken)
    #expect(ImageError.cancelled("a").underlying is CancellationError)
    #expect(ImageError.notCached("a").underlying == nil)
    #expect(ImageError(ImageDecodingError.cancelled, source: "a") == .cancelled("a"))
    #expect(ImageError(HTTPError(.cancelled), source: "a") == .cancelled("a"))
  }

  @Test("kinds stand in a switch, and are patterns where the type of an error is not known")
  func patterns() throws {
    func word(_ error: ImageError) -> String {
      switch error.kind {
      case .cancelled: "stopped"
      case .httpStatus where error.statusCode == 404: "missing"
      case .nameNotResolved, .connectionRefused: "offline"
      default: "other"
      }
    }
    #expect(word(.cancelled("a")) == "stopped")
    #expect(word(.httpStatus(404, source: "a")) == "missing")
    #expect(word(.httpStatus(500, source: "a")) == "other")
    #expect(word(.connectionRefused("a", underlying: Self.refused)) == "offline")

    func caught(_ error: any Error) -> String {
      do {
        throw error
      } catch ImageError.Kind.notCached {
        return "not cached"
      } catch ImageError.Kind.cancelled, is CancellationError {
        return "cancelled"
      } catch {
        return "other"
      }
    }
    #expect(caught(ImageError.notCached("a")) == "not cached")
    #expect(caught(ImageError.cancelled("a")) == "cancelled")
    #expect(caught(CancellationError()) == "cancelled")
    #expect(caught(ImageError.noSuchFile("a")) == "other")
    #expect(caught(Broken(description: "b")) == "other")
  }

  @Test("errors are equal by kind, source, details and the underlying error")
  func equality() {
    for (index, one) in Self.table.enumerated() {
      for (other, two) in Self.table.enumerated() {
        #expect((one.error == two.error) == (index == other))
      }
    }
    #expect(ImageError.noSuchFile("a") != .noSuchFile("b"))
    #expect(ImageError.httpStatus(404, source: "a") != .httpStatus(410, source: "a"))
    #expect(
      ImageError.fetchFailed("a", underlying: Broken(description: "b"))
        != .fetchFailed("a", underlying: Broken(description: "c")))
    #expect(
      ImageError.fetchFailed("a", underlying: Broken(description: "cancelled"))
        != .fetchFailed("a", underlying: ProcessingError.failed("", reason: "cancelled")))
  }

  @Test(
    "a cancelled load is told by its kind, by isCancellation and by the underlying error, not by its type")
  func cancellation() async throws {
    let fixture = Fixture()
    let url = Fixture.url("slow.jpg")
    let gate = Gate()
    fixture.client.reply(to: url, with: .ok(Data()).held(by: gate))
    let running = Task { [pipeline = fixture.pipeline] in try await pipeline.image(for: url) }
    try await eventually(fixture.client.activeCount > 0)
    running.cancel()
    let error = await #expect(throws: (any Error).self) { try await running.value }
    gate.open()
    #expect(!(error is CancellationError))
    let failure = try #require(error as? ImageError)
    #expect(failure.isCancellation && failure.kind == .cancelled && failure.underlying is CancellationError)
    #expect(failure == .cancelled(url.absoluteString))
  }
}
