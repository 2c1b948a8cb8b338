import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("BMP decoder")
struct BMPDecoderTests {
  private func little(_ value: Int, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A file with a header of 40 bytes.
  private func file(
    width: Int, height: Int, bits: Int, compression: Int = 0, colors: [Int] = [], masks: [Int] = [],
    pixels: [UInt8]
  ) -> Data {
    let extra = masks.flatMap { little($0, 4) } + colors.flatMap { little($0, 4) }
    let offset = 14 + 40 + extra.count
    let head = Array("BM".utf8) + little(offset + pixels.count, 4) + little(0, 4) + little(offset, 4)
    let sizes = little(40, 4) + little(width, 4) + little(height, 4)
    let kind = little(1, 2) + little(bits, 2) + little(compression, 4) + little(pixels.count, 4)
    let rest = little(2835, 4) + little(2835, 4) + little(colors.count, 4) + little(0, 4)
    return Data(head + sizes + kind + rest + extra + pixels)
  }

  private func bitmap(_ data: Data) throws -> Bitmap {
    try CodecRegistry.standard.picture(from: data).bitmap
  }

  @Test("reads rows from the bottom up, or from the top down when the height is negative")
  func direction() throws {
    let pixels: [UInt8] = [1, 2, 3, 0, 4, 5, 6, 0]
    let upward = try bitmap(file(width: 1, height: 2, bits: 24, pixels: pixels))
    let downward = try bitmap(file(width: 1, height: -2, bits: 24, pixels: pixels))
    #expect(upward[0, 0] == Pixel(red: 6, green: 5, blue: 4))
    #expect(downward[0, 0] == Pixel(red: 3, green: 2, blue: 1))
  }

  @Test("without the header of a file a bitmap is the same picture", arguments: [1, 8, 16, 24, 32])
  func bare(bits: Int) throws {
    let colors = bits <= 8 ? [0x11_2233, 0x44_5566] : []
    let pixels = (0..<24).map { UInt8($0 * 9) }
    let whole = file(width: 2, height: 3, bits: bits, colors: colors, pixels: pixels)
    #expect(try bitmap(Data(whole.dropFirst(14))) == bitmap(whole))
  }

  @Test("reads masks of any width, and alpha where there is a mask for it")
  func masks() throws {
    let plain = file(
      width: 2, height: 1, bits: 16, compression: 3, masks: [0xF800, 0x7E0, 0x1F],
      pixels: [0x00, 0xF8, 0xE0, 0x07])
    #expect(try bitmap(plain)[0, 0] == Pixel(red: 255, green: 0, blue: 0))
    #expect(try bitmap(plain)[1, 0] == Pixel(red: 0, green: 255, blue: 0))
    let alpha = file(
      width: 1, height: 1, bits: 32, compression: 6, masks: [0xFF, 0xFF00, 0xFF_0000, 0xFF00_0000],
      pixels: [200, 100, 50, 128])
    #expect(try bitmap(alpha)[0, 0] == Pixel(red: 100, green: 50, blue: 25, alpha: 128))
    #expect(try CodecRegistry.standard.header(of: alpha).hasAlpha)
  }

  /// As Windows, browsers and Photoshop do.
  @Test("without any alpha a picture of 32 bits is opaque, in spite of its mask; one of 16 bits is not")
  func emptyAlpha() throws {
    func picture(_ bits: Int, last: UInt8) throws -> Bitmap {
      let masks = bits == 32 ? [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000] : [0x7C00, 0x3E0, 0x1F, 0x8000]
      var pixels = [UInt8](repeating: 0, count: 2 * 4 * bits / 8)
      pixels[0] = 31
      pixels[pixels.count - 1] = last
      return try bitmap(
        file(width: 4, height: 2, bits: bits, compression: 6, masks: masks, pixels: pixels))
    }
    let opaque = try picture(32, last: 0)
    #expect(opaque.isOpaque && opaque[0, 1] == Pixel(red: 0, green: 0, blue: 31))
    #expect(opaque[3, 0] == Pixel(red: 0, green: 0, blue: 0))
    // One pixel with alpha is enough for the others to be transparent.
    #expect(try picture(32, last: 0x80)[0, 1].alpha == 0 && picture(32, last: 0x80)[3, 0].alpha == 128)
    #expect(try picture(16, last: 0)[0, 1].alpha == 0)
    #expect(try picture(16, last: 0x80)[0, 1].alpha == 0 && picture(16, last: 0x80)[3, 0].alpha == 255)
  }

  @Test("reads run lengths, moves and literal runs")
  func runLengths() throws {
    let colors = [0x00_0000, 0xFF_0000, 0x00_FF00]
    let pixels: [UInt8] = [2, 1, 0, 0, 0, 2, 1, 0, 1, 2, 0, 1]
    let picture = try bitmap(
      file(width: 3, height: 2, bits: 8, compression: 1, colors: colors, pixels: pixels))
    #expect(picture[0, 1] == Pixel(red: 255, green: 0, blue: 0))
    #expect(picture[2, 1] == Pixel(red: 0, green: 0, blue: 0))
    #expect(picture[1, 0] == Pixel(red: 0, green: 255, blue: 0))
  }

  @Test("can be stopped within a row of run lengths that go on behind its end")
  func endlessRow() throws {
    func questions(_ runCount: Int) throws -> Int {
      let runs = (0..<runCount).flatMap { _ in [255, 0] as [UInt8] }
      let data = file(
        width: 2, height: 1, bits: 8, compression: 1, colors: [0x00_0000, 0xFF_0000],
        pixels: [1, 1, 1, 0] + runs + [0, 1])
      var count = 0
      let context = DecodingContext(isCancelled: {
        count += 1
        return false
      })
      let picture = try CodecRegistry.standard.picture(from: data, context: context).bitmap
      #expect(picture[0, 0] == Pixel(red: 255, green: 0, blue: 0))
      #expect(picture[1, 0] == Pixel(red: 0, green: 0, blue: 0))
      return count
    }
    #expect(try questions(100_000) > questions(0))
  }

  @Test("shows indices outside the palette as black")
  func badIndex() throws {
    let picture = try bitmap(
      file(width: 1, height: 1, bits: 8, colors: [0xFF_FFFF], pixels: [7, 0, 0, 0]))
    #expect(picture[0, 0] == Pixel(red: 0, green: 0, blue: 0))
  }

  @Test("has a palette of more colours than its pixels can name", arguments: [(8, 300), (1, 256), (4, 17)])
  func longPalette(bits: Int, count: Int) throws {
    let colors = (0..<count).map { $0 == 1 ? 0x12_3456 : 0 }
    let pixel = UInt8(1 << (8 - bits))
    let picture = try bitmap(file(width: 1, height: 1, bits: bits, colors: colors, pixels: [pixel, 0, 0, 0]))
    #expect(picture[0, 0] == Pixel(red: 0x12, green: 0x34, blue: 0x56))
  }

  @Test("says that pixels are missing, or fills them with grey")
  func truncated() throws {
    let data = file(width: 2, height: 2, bits: 24, pixels: [1, 2, 3, 4, 5, 6, 0, 0])
    #expect(throws: ImageDecodingError.truncated(.bmp, stage: "pixels")) { try bitmap(data) }
    let part = try CodecRegistry.standard.picture(from: data, context: .init(allowsTruncation: true)).bitmap
    #expect(part[0, 1] == Pixel(red: 3, green: 2, blue: 1))
    #expect(part[0, 0] == Pixel(red: 128, green: 128, blue: 128))
  }

  @Test(
    "says which compression or depth it does not read",
    arguments: [
      (24, 4, "it contains a JPEG"), (24, 5, "it contains a PNG"), (64, 0, "its pixels have 64 bits"),
    ])
  func unsupported(bits: Int, compression: Int, reason: String) {
    let data = file(
      width: 1, height: 1, bits: bits, compression: compression, pixels: [0, 0, 0, 0, 0, 0, 0, 0])
    #expect(throws: ImageDecodingError.unsupportedType(.bmp, reason: reason)) { try bitmap(data) }
  }

  @Test("refuses colours whose bits are not adjacent and impossible depths")
  func corrupt() {
    let scattered = file(
      width: 1, height: 1, bits: 16, compression: 3, masks: [5, 0, 0], pixels: [0, 0, 0, 0])
    let odd = file(width: 1, height: 1, bits: 7, pixels: [0, 0, 0, 0])
    for data in [scattered, odd] {
      let error = #expect(throws: ImageDecodingError.self) { try bitmap(data) }
      guard case .corrupt(.bmp, "header", _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}
