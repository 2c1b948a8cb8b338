import OzuImaging
import Testing

@Suite("Decoding limits")
struct DecodingLimitsTests {
  typealias Violation = DecodingLimits.Violation

  static func header(_ width: Int, _ height: Int, frames: Int = 1) -> ImageHeader {
    ImageHeader(type: .png, storedSize: PixelSize(width, height), frameCount: frames)
  }

  static let refused: [(ImageHeader, DecodingLimits, Violation, String)] = [
    (
      header(70_000, 30_000), .default, Violation(.side, value: 70_000, limit: 65_535),
      "70000 pixels a side, limit 65535"
    ),
    (
      header(30_000, 30_000), .default,
      Violation(.pixelCount, value: 900_000_000, limit: 128_000_000), "900000000 pixels, limit 128000000"
    ),
    (
      header(1, 65_536), .default, Violation(.side, value: 65_536, limit: 65_535),
      "65536 pixels a side, limit 65535"
    ),
    (
      header(.max, .max), DecodingLimits(side: .max),
      Violation(.pixelCount, value: .max, limit: 128_000_000), "\(Int.max) pixels, limit 128000000"
    ),
  ]

  @Test("a header beyond a limit is refused by name and number", arguments: refused)
  func refuses(header: ImageHeader, limits: DecodingLimits, violation: Violation, text: String) {
    #expect(throws: ImageDecodingError.limitExceeded(violation)) { try limits.check(header) }
    #expect("\(violation)" == text)
    #expect("\(ImageDecodingError.limitExceeded(violation))" == "refused: " + text)
  }

  @Test(
    "a header that reaches a limit is allowed",
    arguments: [
      header(16_384, 7812), header(800, 20_000), header(1, 65_535), header(8, 8, frames: 65_536),
      header(0, 0),
    ])
  func allows(header: ImageHeader) {
    #expect(throws: Never.self) { try DecodingLimits.default.check(header) }
  }

  @Test("bytes and scans are limited")
  func counts() {
    let limits = DecodingLimits(
      decodedByteCount: 100, scanCount: 3, encodedByteCount: 50, scannedPixelCount: 200)
    let size = PixelSize(10, 10)
    #expect(throws: Never.self) {
      try limits.checkDecodedByteCount(100)
      try limits.checkScanCount(2, size: size)
      try limits.checkScanCount(3, size: PixelSize(8, 8))
      try limits.checkEncodedByteCount(50)
    }
    #expect(throws: ImageDecodingError.limitExceeded(Violation(.decodedByteCount, value: 101, limit: 100))) {
      try limits.checkDecodedByteCount(101)
    }
    #expect(throws: ImageDecodingError.limitExceeded(Violation(.scanCount, value: 4, limit: 3))) {
      try limits.checkScanCount(4, size: size)
    }
    #expect(throws: ImageDecodingError.limitExceeded(Violation(.scannedPixelCount, value: 300, limit: 200))) {
      try limits.checkScanCount(3, size: size)
    }
    #expect(throws: ImageDecodingError.limitExceeded(Violation(.encodedByteCount, value: 51, limit: 50))) {
      try limits.checkEncodedByteCount(51)
    }
  }

  @Test("nothing is unlimited by default")
  func defaults() {
    let limits = DecodingLimits()
    #expect(limits == .default)
    #expect(limits.decodedByteCount == 512 << 20)
    #expect(limits.frameCount == 16_384)
    #expect(limits.encodedByteCount == 100 << 20)
    #expect(limits.scanCount == 100)
    #expect(limits.scannedPixelCount == 2_560_000_000)
    #expect(limits.cpuTime == .seconds(10))
  }
}
