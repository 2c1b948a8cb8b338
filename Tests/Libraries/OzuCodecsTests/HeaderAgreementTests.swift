import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

/// A header and a load say the same, as far as the header shows it.
@Suite("A header and a load of the same file")
struct HeaderAgreementTests {
  private static let size = PixelSize(8, 8)

  private static func little(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A JPEG whose frame header is changed at some bytes, counted from its marker.
  private static func jpeg(_ changes: [Int: UInt8]) throws -> Data {
    var data = try PatternPicture(size).data(as: .jpeg)
    let frame = try #require(data.range(of: Data([0xFF, 0xC0]))).lowerBound
    for (offset, byte) in changes { data[frame + offset] = byte }
    return data
  }

  private static func tiff(compression: Int, photometric: Int) -> Data {
    TIFFFile(
      size: size, bits: 8, compression: compression, photometric: photometric, samplesPerPixel: 1,
      strips: [[UInt8](repeating: 9, count: 64)]
    ).data
  }

  /// Red, green and blue of four bits in a tile.
  private static func tiledTIFF() -> Data {
    TIFFFile(
      size: size, bits: 4, photometric: 2, samplesPerPixel: 3, tileSize: PixelSize(16, 16),
      strips: [[UInt8](repeating: 9, count: 384)]
    ).data
  }

  /// An animated PNG whose second frame is wider than its canvas.
  private static func animatedPNG() -> Data {
    func control(_ number: Int, width: Int) -> [UInt8] {
      PNGFile.big(number) + PNGFile.big(width) + PNGFile.big(8) + PNGFile.big(0) + PNGFile.big(0)
        + [0, 1, 0, 10, 0, 0]
    }
    let file = PNGFile(
      size: size, colorType: 2, samples: [UInt8](repeating: 9, count: 192),
      chunks: [("acTL", PNGFile.big(2) + PNGFile.big(0)), ("fcTL", control(0, width: 8))]
    ).data
    let pixels = PNGFile.zlib([UInt8](repeating: 0, count: 8 * 28))
    var data = Data(file.prefix(file.count - 12))
    data += PNGFile.chunk("fcTL", control(1, width: 9))
    data += PNGFile.chunk("fdAT", PNGFile.big(2) + pixels)
    return data + file.suffix(12)
  }

  /// An animated WebP that declares no alpha.
  private static func animatedWebP(canvas: Int) throws -> Data {
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + little(content.count, 4) + content + [UInt8](repeating: 0, count: content.count % 2)
    }
    let still = try PatternPicture(size, tint: 2).data(as: .webp)
    let frame = chunk(
      "ANMF", little(0, 6) + little(7, 3) + little(7, 3) + little(10, 3) + [0] + Array(still[12...]))
    let content =
      Array("WEBP".utf8) + chunk("VP8X", [2, 0, 0, 0] + little(canvas - 1, 3) + little(canvas - 1, 3))
      + chunk("ANIM", little(0, 6)) + frame + frame
    return Data(chunk("RIFF", content))
  }

  /// Eight by eight pixels of 32 bits with a mask for alpha.
  private static func bmp(alpha: UInt8) -> Data {
    let masks = little(0xFF_0000, 4) + little(0xFF00, 4) + little(0xFF, 4) + little(0xFF00_0000, 4)
    let head = little(108, 4) + little(8, 4) + little(8, 4) + little(1, 2) + little(32, 2) + little(3, 4)
    let pixels = [UInt8]((0..<64).flatMap { [UInt8($0), 5, 6, $0 == 40 ? alpha : 0] })
    return Data(
      Array("BM".utf8) + little(122 + 256, 4) + little(0, 4) + little(122, 4) + head + little(256, 4)
        + little(0, 16) + masks + little(0, 52) + pixels)
  }

  /// An icon of 8 bits that says that it is run-length coded.
  private static let icon: Data = {
    let entry =
      little(40, 4) + little(8, 4) + little(16, 4) + little(1, 2) + little(8, 2) + little(1, 4)
      + little(0, 20) + [UInt8](repeating: 0, count: 1024 + 64 + 32)
    let directory = little(1 << 16, 4) + little(1, 2) + [8, 8, 0, 0, 1, 0, 8, 0]
    return Data(directory + little(entry.count, 4) + little(22, 4) + entry)
  }()

  private static func files() throws -> [(name: String, data: Data)] {
    var files = [
      ("JPEG of 12 bits", try jpeg([4: 12])), ("JPEG without loss", try jpeg([1: 0xC3])),
      ("PNG with a frame beyond its canvas", animatedPNG()), ("icon with run lengths", icon),
      ("BMP without alpha values", bmp(alpha: 0)), ("BMP with an alpha value", bmp(alpha: 7)),
    ]
    let types = CodecRegistry.standard.decodableTypes
    if types.contains(.tiff) {
      files += [
        ("JPEG 2000 inside TIFF", tiff(compression: 33_003, photometric: 1)),
        ("TIFF of an unknown compression", tiff(compression: 40_000, photometric: 1)),
        ("TIFF of colours that libtiff does not convert", tiff(compression: 1, photometric: 32_844)),
        ("TIFF of tiles that libtiff does not convert", tiledTIFF()),
        ("TIFF", tiff(compression: 1, photometric: 1)),
      ]
    }
    if types.contains(.webp) {
      files += [
        ("WebP whose frames are smaller than its canvas", try animatedWebP(canvas: 9)),
        ("WebP whose frames cover its canvas", try animatedWebP(canvas: 8)),
      ]
    }
    return files
  }

  @Test("have the same notes, the same alpha, and the same reason why it cannot be read")
  func agreement() throws {
    var refused = 0
    for (name, data) in try Self.files() {
      let header = try CodecRegistry.standard.header(of: data)
      do throws(ImageDecodingError) {
        let picture = try CodecRegistry.standard.picture(from: data)
        #expect(header.notes == picture.notes, "\(name)")
        #expect(header.hasAlpha == !picture.bitmap.isOpaque, "\(name)")
        if name.hasPrefix("PNG") {
          #expect(header.notes.first?.hasPrefix("shown without its animation: ") == true)
        }
      } catch {
        refused += 1
        guard case .unsupportedType(_, let reason) = error else {
          Issue.record("\(name): \(error)")
          continue
        }
        #expect(header.notes == ["it cannot be read: \(reason)"], "\(name)")
      }
    }
    #expect(refused == (CodecRegistry.standard.decodableTypes.contains(.tiff) ? 7 : 3))
  }
}
