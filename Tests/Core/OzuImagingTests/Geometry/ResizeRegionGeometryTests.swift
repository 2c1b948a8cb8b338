import OzuImaging
import Testing

@Suite("Resize geometry of a part")
struct ResizeRegionGeometryTests {
  @Test(
    "a part is resized as a picture of its size, and moved to its place",
    arguments: [ScaleMode.fill, .aspectFit, .aspectFill, .none], [true, false])
  func parts(mode: ScaleMode, crops: Bool) {
    let source = PixelSize(400, 300)
    for part in [
      PixelRectangle(x: 0, y: 0, width: 400, height: 300),
      PixelRectangle(x: 31, y: 57, width: 100, height: 40),
      PixelRectangle(x: -20, y: 280, width: 100, height: 400),
    ] {
      let inside = part.x < 0 ? PixelRectangle(x: 0, y: 280, width: 80, height: 20) : part
      for size in [PixelSize(30, 30), PixelSize(64, 16), PixelSize(1000, 1000)] {
        var resize = Resize(size, mode: mode, crops: crops)
        let alone = ResizeGeometry(source: inside.size, resize: resize)
        resize.region = part
        let own = ResizeGeometry(source: source, resize: resize)
        #expect(own.outputSize == alone.outputSize)
        #expect(own.region.x == alone.region.x + Double(inside.x))
        #expect(own.region.y == alone.region.y + Double(inside.y))
        #expect(own.region.width == alone.region.width && own.region.height == alone.region.height)
      }
    }
  }

  @Test("a part outside of the picture is the nearest pixel")
  func partOutside() {
    let resize = Resize(region: PixelRectangle(x: .max, y: -10, width: 5, height: 5))
    let geometry = ResizeGeometry(source: PixelSize(40, 30), resize: resize)
    #expect(geometry.outputSize == PixelSize(1, 1))
    #expect(geometry.region == PixelRegion(x: 39, y: 0, width: 1, height: 1))
  }

  @Test("recipes of parts have identifiers of their own")
  func partIdentifiers() {
    let part = PixelRectangle(x: 1, y: 2, width: 3, height: 4)
    let recipes = [
      Resize(PixelSize(3, 4)), Resize(PixelSize(3, 4), region: part), Resize(region: part),
      Resize(PixelSize(3, 4), region: PixelRectangle(x: 12, y: 0, width: 3, height: 4)),
    ]
    #expect(Set(recipes.map(\.identifier)).count == recipes.count)
  }
}
