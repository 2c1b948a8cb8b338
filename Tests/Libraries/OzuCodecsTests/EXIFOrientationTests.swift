import Foundation
import OzuImaging
import OzuStandardCodecs
import Testing

@testable import OzuCodecs

@Suite("EXIF orientation")
struct EXIFOrientationTests {
  /// EXIF data with one directory entry.
  private func data(
    bigEndian: Bool, tag: Int = 0x0112, type: Int = 3, value: Int, offset: Int = 8, entryCount: Int = 1
  ) -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return bigEndian ? little.reversed() : little
    }
    let valueBytes = type == 3 ? bytes(value, 2) + [0, 0] : bytes(value, 4)
    return Array((bigEndian ? "MM" : "II").utf8) + bytes(42, 2) + bytes(offset, 4)
      + bytes(entryCount, 2) + bytes(tag, 2) + bytes(type, 2) + bytes(1, 4) + valueBytes + bytes(0, 4)
  }

  @Test("is read in both byte orders", arguments: Orientation.allCases, [true, false])
  func values(orientation: Orientation, bigEndian: Bool) {
    let short = data(bigEndian: bigEndian, value: orientation.rawValue)
    #expect(EXIFOrientation.find(in: short.span) == orientation)
    let long = data(bigEndian: bigEndian, type: 4, value: orientation.rawValue)
    #expect(EXIFOrientation.find(in: long.span) == orientation)
    let prefixed = Array("Exif\0\0".utf8) + short
    #expect(EXIFOrientation.find(in: prefixed.span) == orientation)
  }

  @Test("is not found when its value has no meaning")
  func invalid() {
    for value in [0, 9, 255, 65535] {
      #expect(EXIFOrientation.find(in: data(bigEndian: true, value: value).span) == nil)
    }
    #expect(EXIFOrientation.find(in: data(bigEndian: true, type: 2, value: 6).span) == nil)
    #expect(EXIFOrientation.find(in: data(bigEndian: true, tag: 0x0111, value: 6).span) == nil)
  }

  @Test("is not found when it lies outside the data", arguments: [0xFFFF_FFFF, 0x7FFF_FFFF, 25, 26, 1000])
  func offsets(offset: Int) {
    #expect(EXIFOrientation.find(in: data(bigEndian: false, value: 6, offset: offset).span) == nil)
  }

  @Test("is found or missing, and nothing else happens, wherever the data end")
  func everyPrefix() {
    let whole = data(bigEndian: true, value: 6, entryCount: 65535)
    for count in 0...whole.count {
      let found = EXIFOrientation.find(in: Array(whole.prefix(count)).span)
      #expect(found == (count >= 22 ? .right : nil))
    }
  }

  @Test(
    "in odd places",
    arguments: [
      ("jpeg-exif-before-jfif.jpg", Orientation.right), ("jpeg-exif-ifd-loop.jpg", .right),
      ("jpeg-exif-huge-count.jpg", .right), ("jpeg-exif-offset-beyond-end.jpg", .up),
      ("jpeg-exif-truncated.jpg", .up), ("jpeg-no-jfif-exif-6.jpg", .right), ("jpeg-orientation-0.jpg", .up),
      ("jpeg-orientation-65535.jpg", .up), ("jpeg-orientation-9.jpg", .up),
      ("jpeg-orientation-long-6.jpg", .right), ("jpeg-orientation-only-ifd1.jpg", .up),
      ("jpeg-two-exif-6-then-1.jpg", .right), ("jpeg-xmp-only-6.jpg", .up),
      ("png-exif-after-idat-6.png", .right), ("webp-exif-no-prefix-6.webp", .right),
    ].filter { isDecodable($0.0) })
  func oddFiles(name: String, orientation: Orientation) throws {
    let header = try CodecRegistry.standard.header(of: fixture("orientation/odd/\(name)"))
    #expect(header.orientation == orientation)
  }

  @Test("makes the same picture from all eight stored orientations", arguments: fixtures(in: "orientation"))
  func upright(path: String) throws {
    guard isDecodable(path) else { return }
    let reference = try picture("orientation/upright.png").bitmap
    let bitmap = try picture(path).bitmap
    #expect(
      bitmap.largestDifference(from: reference)
        <= (path.hasSuffix("jpg") ? 24 : path.hasSuffix("avif") ? 6 : 0))
  }

  @Test("after the pixels of a PNG counts")
  func afterPixels() throws {
    let reference = try picture("orientation/upright.png").bitmap
    #expect(try picture("orientation/odd/png-exif-after-idat-6.png").bitmap == reference)
  }
}
