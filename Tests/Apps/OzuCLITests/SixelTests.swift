import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Sixels and palettes")
struct SixelTests {
  @Test("few colours stay exact, transparent pixels are left out, and the last band may have any height")
  func exact() throws {
    let colors: [Pixel] = [
      .black, .white, Pixel(red: 255, green: 0, blue: 0), Pixel(red: 0, green: 0, blue: 255), .clear,
    ]
    for height in 1...13 {
      let bitmap = Bitmap(size: PixelSize(19, height), isOpaque: false) { (x: Int, y: Int) -> Pixel in
        colors[(x * 7 + y * 3) % 5]
      }
      let image = try #require(SixelReader(SixelImage.text(BGRABitmap(bitmap))[...]))
      #expect(image.bitmap == bitmap, "\(height)")
    }
  }

  @Test(
    "a palette has no more colours than asked for, counts every pixel, and begins with the most frequent")
  func palette() {
    let bitmap = BGRABitmap(
      Bitmap(size: PixelSize(64, 64)) { x, y in
        y < 40
          ? Pixel(red: 200, green: 20, blue: 30) : Pixel(red: UInt8(x * 4), green: UInt8(y * 3), blue: 77)
      })
    for count in [1, 2, 7, 256] {
      let palette = ColorPalette(bitmap, maximumCount: count)
      #expect(palette.entries.count <= count && palette.entries.reduce(0) { $0 + $1.count } == 64 * 64)
      if count > 2 { #expect(palette.entries[0].color == Pixel(red: 200, green: 20, blue: 30)) }
    }
    let clear = BGRABitmap(Bitmap(size: PixelSize(4, 4), isOpaque: false) { _, _ in .clear })
    #expect(ColorPalette(clear, maximumCount: 8).entries.isEmpty)
    #expect(SixelReader(SixelImage.text(clear)[...])?.bitmap == clear.bitmap)
  }
}

/// Reads the pixels that a terminal would show for a sixel image.
struct SixelReader {
  let bitmap: Bitmap

  init?(_ text: Substring) {
    guard let match = text.firstMatch(of: /\u{1B}P0;1;0q"1;1;([0-9]+);([0-9]+)([^\u{1B}]*)\u{1B}\\/),
      let width = Int(match.output.1), let height = Int(match.output.2)
    else { return nil }
    var pixels = [Pixel](repeating: .clear, count: width * height)
    var colors: [Int: Pixel] = [:]
    var (color, x, top) = (0, 0, 0)
    var rest = match.output.3.utf8[...]
    func number() -> Int {
      var value = 0
      while let digit = rest.first, (48...57).contains(digit) {
        value = value * 10 + Int(digit - 48)
        rest.removeFirst()
      }
      return value
    }
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "#"):
        color = number()
        guard rest.first == UInt8(ascii: ";") else { continue }
        var parts: [Int] = []
        while rest.first == UInt8(ascii: ";") {
          rest.removeFirst()
          parts.append(number())
        }
        func value(_ part: Int) -> UInt8 { UInt8((part * 255 + 50) / 100) }
        guard parts.count == 4, parts[0] == 2 else { return nil }
        colors[color] = Pixel(red: value(parts[1]), green: value(parts[2]), blue: value(parts[3]))
      case UInt8(ascii: "$"): x = 0
      case UInt8(ascii: "-"): (x, top) = (0, top + 6)
      default:
        let count = byte == UInt8(ascii: "!") ? number() : 1
        guard let sixel = byte == UInt8(ascii: "!") ? rest.popFirst() : byte, (63...126).contains(sixel),
          let ink = colors[color]
        else { return nil }
        for _ in 0..<count {
          for bit in 0..<6 where (sixel - 63) >> bit & 1 == 1 {
            guard x < width, top + bit < height else { return nil }
            pixels[(top + bit) * width + x] = ink
          }
          x += 1
        }
      }
    }
    bitmap = Bitmap(size: PixelSize(width, height), isOpaque: false) { pixels[$1 * width + $0] }
  }
}
