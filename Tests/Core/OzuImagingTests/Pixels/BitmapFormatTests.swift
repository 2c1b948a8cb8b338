import OzuImaging
import Testing

@Suite("Pixel formats")
struct BitmapFormatTests {
  @Test("8 bits are the same after a conversion to 16 bits and back", arguments: [true, false])
  func wideAndBack(isOpaque: Bool) {
    let bitmap = Bitmap.noise(size: PixelSize(67, 31), isOpaque: isOpaque)
    let wide = bitmap.converted(to: .rgba16)
    #expect(wide.format == .rgba16)
    #expect(wide.byteCount >= 67 * 31 * 8)
    #expect(wide.isOpaque == isOpaque)
    #expect(wide.converted(to: .bgra8) == bitmap)
    #expect(wide[13, 7] == bitmap[13, 7])
  }

  @Test("16 bits are rounded to the nearest of 8")
  func rounding() {
    let values: [UInt16] = [0, 128, 129, 257, 32_767, 32_768, 65_406, 65_407, 65_535]
    let wide = Bitmap(size: PixelSize(values.count, 1), format: .rgba16, isOpaque: true) { bytes, _ in
      for (x, value) in values.enumerated() {
        for channel in 0..<4 {
          bytes.storeBytes(
            of: channel == 3 ? .max : value, toByteOffset: x * 8 + channel * 2, as: UInt16.self)
        }
      }
    }
    let narrow = wide.converted(to: .bgra8)
    for (x, value) in values.enumerated() {
      #expect(narrow[x, 0].red == UInt8((Double(value) / 257).rounded()), "\(value)")
    }
  }

  @Test("grey is the brightness of colours, and grey again")
  func gray() {
    let colors = Bitmap(size: PixelSize(3, 1)) { x, _ in
      Pixel(red: x == 0 ? 255 : 0, green: x == 1 ? 255 : 0, blue: x == 2 ? 255 : 0)
    }
    let gray = colors.converted(to: .gray8)
    #expect((0..<3).map { gray[$0, 0].green } == [76, 150, 29])
    let shades = Bitmap(size: PixelSize(256, 1)) { x, _ in
      Pixel(red: UInt8(x), green: UInt8(x), blue: UInt8(x))
    }
    #expect(shades.converted(to: .gray8).converted(to: .bgra8) == shades)
  }

  @Test("all formats are turned in the same way", arguments: Orientation.allCases, PixelFormat.allCases)
  func upright(orientation: Orientation, format: PixelFormat) {
    let bitmap = Bitmap.noise(size: PixelSize(37, 41)).converted(to: .gray8).converted(to: .bgra8)
    let turned = bitmap.converted(to: format).upright(from: orientation)
    #expect(turned.format == format)
    #expect(turned.converted(to: .bgra8) == bitmap.upright(from: orientation))
  }
}
