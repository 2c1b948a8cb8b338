import Testing

@testable import OzuImaging

@Suite("Rotate, redact and pad")
struct RotateTests {
  private static let flat = Bitmap.flat(.opaqueRed, size: PixelSize(40, 20))

  @Test(
    "the result has the size of the turned picture, its area, and the background in the corners",
    arguments: [(30.0, 45, 38), (45, 43, 43), (-30, 45, 38), (390, 45, 38), (89.9, 21, 41), (1, 41, 21)])
  func sizes(degrees: Double, width: Int, height: Int) throws {
    let turned = try Rotate(degrees: degrees).process(Self.flat)
    #expect(turned.size == PixelSize(width, height))
    let area = turned.pixels.reduce(0.0) { $0 + Double($1.alpha) / 255 }
    #expect(abs(area - 800) < 8)
    #expect(turned[width / 2, height / 2] == .opaqueRed)
    let onWhite = try Rotate(degrees: degrees, background: .white).process(Self.flat)
    #expect(onWhite.isOpaque && onWhite.pixels.allSatisfy { $0.alpha == 255 })
    if degrees < 89 || degrees > 90 {
      #expect(onWhite[0, 0].green > 150 || onWhite[width - 1, 0].green > 150)
    }
  }

  @Test("positive angles are clockwise, and right angles move pixels")
  func direction() throws {
    let noise = Bitmap.noise(size: PixelSize(13, 8))
    #expect(try Rotate(degrees: 90).process(noise) == Turn.right.process(noise))
    #expect(try Rotate(degrees: 270).process(noise) == Turn.left.process(noise))
    #expect(try Rotate(degrees: -180).process(noise) == Turn.around.process(noise))
    #expect(try Rotate(degrees: 720).process(noise) == noise)
    let half = Bitmap(size: PixelSize(40, 40)) { _, y in y < 20 ? .white : .black }
    let turned = try Rotate(degrees: 45).process(half)
    let middle = turned.size.width / 2
    // The upper half goes to the right.
    #expect(turned[middle + 12, middle - 2] == .white && turned[middle - 12, middle + 2] == .black)
  }

  @Test("redacted pixels are gone, and the others are as they were")
  func redaction() throws {
    let noise = Bitmap.noise(size: PixelSize(20, 16), isOpaque: false)
    let areas = [
      PixelRectangle(x: 3, y: 2, width: 5, height: 6), PixelRectangle(x: 15, y: 10, width: 100, height: 100),
      PixelRectangle(x: -9, y: 0, width: 3, height: 3),
    ]
    func isInside(_ x: Int, _ y: Int) -> Bool { 3..<8 ~= x && 2..<8 ~= y || x >= 15 && y >= 10 }
    let filled = try Redact(areas: areas, style: .fill(.clear)).process(noise)
    let blocks = try Redact(areas: areas, style: .pixelate(blockSide: 50)).process(noise)
    for y in 0..<16 {
      for x in 0..<20 {
        #expect(filled[x, y] == (isInside(x, y) ? .clear : noise[x, y]))
        if !isInside(x, y) { #expect(blocks[x, y] == noise[x, y]) }
      }
    }
    // One block for each area.
    #expect(
      Set(blocks.pixels.indices.filter { isInside($0 % 20, $0 / 20) }.map { blocks.pixels[$0] }).count == 2)
    #expect(try Redact(areas: []).process(noise) == noise)
  }

  @Test("the picture lies on a blurred copy of itself that covers the canvas")
  func blurred() throws {
    let noise = Bitmap.noise(size: PixelSize(20, 30))
    let padded = try BlurredPad(to: PixelSize(60, 30), radius: 4, anchor: .left).process(noise)
    #expect(padded.size == PixelSize(60, 30) && padded.isOpaque)
    for y in 0..<30 { for x in 0..<20 { #expect(padded[x, y] == noise[x, y]) } }
    let (left, right) = (padded[30, 15], padded[31, 15])
    #expect(abs(Int(left.red) - Int(right.red)) < 30)
    #expect(try BlurredPad(to: PixelSize(10, 10)).process(noise) == noise)
  }
}
