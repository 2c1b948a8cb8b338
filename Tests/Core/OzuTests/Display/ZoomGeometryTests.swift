import OzuTesting
import Testing

@testable import Ozu

@Suite("A picture under a view that zooms and moves")
struct ZoomGeometryTests {
  private static let picture = PixelSize(4000, 3000)

  private func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-6 * max(1, abs(a)) }

  @Test(
    "is fitted at first, and not enlarged for that",
    arguments: [(PixelSize(400, 400), 0.1), (PixelSize(4000, 300), 0.1), (PixelSize(9000, 9000), 1.0)])
  func fitting(view: PixelSize, scale: Double) {
    var geometry = ZoomGeometry(pictureSize: Self.picture, viewSize: view)
    #expect(geometry.scale == scale && geometry.isFitted)
    #expect(geometry.visible == PixelRegion(Self.picture))
    geometry.resize(to: PixelSize(200, 150))
    #expect(geometry.scale == 0.05)
    geometry.zoom(by: 0.1, at: (3, 4))
    #expect(geometry.isFitted)
  }

  @Test("a point under the pointer stays there, as far as the edges allow it")
  func pointer() {
    var geometry = ZoomGeometry(pictureSize: Self.picture, viewSize: PixelSize(800, 600))
    geometry.zoom(to: 1, at: (400, 300))
    let held = geometry.picturePoint(at: (500, 200))
    geometry.zoom(by: 2, at: (500, 200))
    let after = geometry.picturePoint(at: (500, 200))
    #expect(isNear(held.x, after.x) && isNear(held.y, after.y))
    #expect(geometry.scale == 2)
    geometry.zoom(by: 1000, at: (0, 0))
    #expect(geometry.scale == ZoomGeometry.largestScale)
  }

  @Test("a double click shows the picture at its own pixels, and then the whole again")
  func toggling() {
    var geometry = ZoomGeometry(pictureSize: Self.picture, viewSize: PixelSize(800, 600))
    geometry.toggle(at: (10, 10))
    #expect(geometry.scale == 1)
    geometry.toggle(at: (10, 10))
    #expect(geometry.isFitted)
    var small = ZoomGeometry(pictureSize: PixelSize(10, 10), viewSize: PixelSize(800, 600))
    small.toggle(at: (400, 300))
    #expect(small.scale == 2)
  }

  @Test("no number moves an edge into the view, or the picture out of it", arguments: 0..<20 as Range<UInt64>)
  func edges(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double {
      [.random(in: range, using: &random), .infinity, .nan, 0, -1e300].randomElement(using: &random)!
    }
    let size = PixelSize(.random(in: 1...5000, using: &random), .random(in: 1...5000, using: &random))
    var geometry = ZoomGeometry(pictureSize: size, viewSize: PixelSize(640, 480))
    for step in 0..<300 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: geometry.zoom(by: number(0...4), at: (number(-100...900), number(-100...900)))
      case 1: geometry.move(by: (number(-3000...3000), number(-3000...3000)))
      case 2: geometry.toggle(at: (number(0...640), number(0...480)))
      case 3:
        geometry.resize(
          to: PixelSize(.random(in: 0...2000, using: &random), .random(in: 0...2000, using: &random)))
      default:
        geometry.move(by: (.random(in: -50...50, using: &random), .random(in: -50...50, using: &random)))
      }
      let place = geometry.place(of: PixelRegion(size))
      for (start, length, view) in [
        (place.x, place.width, Double(geometry.viewSize.width)),
        (place.y, place.height, Double(geometry.viewSize.height)),
      ] {
        let slack = 1e-6 * max(1, length)
        let isCentred = length <= view + slack && abs(start - (view - length) / 2) <= slack
        let covers = start <= slack && start + length >= view - slack
        #expect(isCentred || covers, "seed \(seed), step \(step): \(start) \(length) in \(view)")
      }
      #expect(geometry.scale >= geometry.fittingScale && geometry.scale.isFinite)
    }
  }

  @Test(
    "the squares of a level cover the visible part, once",
    arguments: [0.03, 0.1, 0.25, 0.26, 0.5, 0.9, 1, 3, 16])
  func tiles(scale: Double) throws {
    var geometry = ZoomGeometry(pictureSize: PixelSize(20_000, 13_001), viewSize: PixelSize(1500, 900))
    geometry.zoom(to: scale, at: (700, 400))
    geometry.move(by: (-313, 77))
    let tiles = ZoomTile.visible(in: geometry)
    let level = try #require(tiles.first?.level)
    // Pixels of the level are no larger than those of the screen, and no smaller than half.
    let side = geometry.scale * Double(1 << level)
    #expect(level == 0 ? geometry.scale > 0.5 : side <= 1 && side > 0.5)
    let seen = geometry.visible
    var area = 0.0
    for tile in tiles {
      let part = tile.region(of: geometry.pictureSize)
      let (left, top) = (max(seen.x, Double(part.x)), max(seen.y, Double(part.y)))
      let right = min(seen.x + seen.width, Double(part.x + part.size.width))
      let bottom = min(seen.y + seen.height, Double(part.y + part.size.height))
      #expect(right > left && bottom > top, "a square out of sight")
      area += (right - left) * (bottom - top)
      #expect(tile.resize(of: geometry.pictureSize).size.width <= ZoomTile.side)
    }
    #expect(isNear(area, seen.width * seen.height))
    #expect(Set(tiles).count == tiles.count)
  }
}
