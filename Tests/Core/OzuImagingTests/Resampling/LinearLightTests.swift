import OzuImaging
import Testing

@Suite("Linear light")
struct LinearLightTests {
  private let black = Pixel(red: 0, green: 0, blue: 0)
  private let white = Pixel(red: 255, green: 255, blue: 255)

  @Test("a pattern of black and white is the grey of half the light", arguments: [16, 64, 1000])
  func checkerboard(side: Int) {
    let board = Bitmap(size: PixelSize(side, side)) { x, y in (x + y) % 2 == 0 ? black : white }
    let region = PixelRegion(board.size)
    let light = Resampler(light: .linear).resample(board, region: region, to: PixelSize(4, 4))
    let stored = Resampler().resample(board, region: region, to: PixelSize(4, 4))
    for y in 0..<4 {
      for x in 0..<4 {
        #expect(abs(Int(light[x, y].green) - 188) <= 2)
        #expect(abs(Int(stored[x, y].green) - 128) <= 2)
      }
    }
  }

  @Test("a picture of one colour keeps its colour", arguments: [0, 1, 2, 20, 77, 128, 254, 255])
  func even(value: Int) {
    let pixel = Pixel(red: UInt8(value), green: UInt8(255 - value), blue: 128)
    let bitmap = Bitmap(size: PixelSize(90, 60)) { _, _ in pixel }
    let result = Resampler(light: .linear).resample(
      bitmap, region: PixelRegion(bitmap.size), to: PixelSize(31, 20))
    #expect(result == Bitmap(size: PixelSize(31, 20)) { _, _ in pixel })
  }

  @Test("a half transparent picture keeps colour and alpha")
  func transparent() {
    let pixel = Pixel(red: 100, green: 50, blue: 0, alpha: 128)
    let bitmap = Bitmap(size: PixelSize(40, 40), isOpaque: false) { _, _ in pixel }
    let result = Resampler(light: .linear).resample(
      bitmap, region: PixelRegion(bitmap.size), to: PixelSize(10, 10))
    #expect(!result.isOpaque)
    let middle = result[5, 5]
    #expect(middle.alpha == 128)
    #expect(abs(Int(middle.red) - 100) <= 1 && abs(Int(middle.green) - 50) <= 1 && middle.blue == 0)
  }

  @Test("is part of the identity of a recipe")
  func identity() {
    let size = PixelSize(10, 10)
    let recipes = [
      Resize(size), Resize(size, light: .linear), Resize(size, allowsEmbeddedThumbnail: true),
      Resize(size, quality: .fast), Resize(size, kernel: .mitchell),
    ]
    #expect(Set(recipes.map(\.identifier)).count == recipes.count)
  }
}
