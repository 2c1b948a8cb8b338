import Foundation
import Ozu
import OzuTesting
import Testing

@testable import OzuCLI

@Suite("Sixels")
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
      let image = try #require(SixelReader(SixelImage.text(bitmap)[...]))
      #expect(image.bitmap == bitmap, "\(height)")
    }
  }

  @Test("a picture of many colours has 256 at most, near its own; a transparent one has none")
  func manyColors() throws {
    let bitmap = Bitmap(size: PixelSize(64, 64)) { x, y in
      Pixel(red: UInt8(x * 4), green: UInt8(y * 4), blue: 77)
    }
    let image = try #require(SixelReader(SixelImage.text(bitmap)[...])).bitmap
    var colors: Set<Pixel> = []
    for y in 0..<64 { for x in 0..<64 { colors.insert(image[x, y]) } }
    #expect((100...256).contains(colors.count))
    #expect(abs(Int(image[40, 20].red) - 160) < 40 && abs(Int(image[40, 20].green) - 80) < 40)
    let clear = Bitmap(size: PixelSize(4, 4), isOpaque: false) { _, _ in .clear }
    #expect(SixelReader(SixelImage.text(clear)[...])?.bitmap == clear)
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
