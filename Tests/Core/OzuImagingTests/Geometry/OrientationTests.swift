import OzuImaging
import Testing

@Suite("Orientation")
struct OrientationTests {
  /// A stored picture of two rows of three pixels, and the upright pictures under the eight EXIF values.
  ///
  ///     A B C
  ///     D E F
  static let stored = ["ABC", "DEF"]
  static let upright: [(Orientation, [String])] = [
    (.up, ["ABC", "DEF"]),
    (.upMirrored, ["CBA", "FED"]),
    (.down, ["FED", "CBA"]),
    (.downMirrored, ["DEF", "ABC"]),
    (.leftMirrored, ["AD", "BE", "CF"]),
    (.right, ["DA", "EB", "FC"]),
    (.rightMirrored, ["FC", "EB", "DA"]),
    (.left, ["CF", "BE", "AD"]),
  ]

  private func bitmap(_ rows: [String]) -> Bitmap {
    let letters = rows.map { Array($0.utf8) }
    return Bitmap(size: PixelSize(letters[0].count, letters.count)) { x, y in
      Pixel(red: letters[y][x], green: UInt8(255 - letters[y][x]), blue: 7)
    }
  }

  private func inverse(_ orientation: Orientation) -> Orientation {
    switch orientation {
    case .left: .right
    case .right: .left
    default: orientation
    }
  }

  @Test("each value turns the picture as EXIF says", arguments: upright)
  func turns(orientation: Orientation, expected: [String]) {
    #expect(bitmap(Self.stored).upright(from: orientation) == bitmap(expected))
  }

  @Test("the values are those of EXIF")
  func rawValues() {
    #expect(Orientation.allCases.map(\.rawValue) == Array(1...8))
    #expect(Orientation(rawValue: 0) == nil)
    #expect(Orientation(rawValue: 9) == nil)
  }

  @Test("turning there and back gives the picture", arguments: Orientation.allCases)
  func inverses(orientation: Orientation) {
    // Larger than a tile, and no multiple of one.
    let picture = Bitmap.noise(size: PixelSize(45, 67))
    let turned = picture.upright(from: orientation)
    #expect(turned.size == orientation.applied(to: picture.size))
    #expect(turned.upright(from: inverse(orientation)) == picture)
    #expect((turned == picture) == (orientation == .up))
  }

  @Test("a single row, column or pixel turns", arguments: Orientation.allCases)
  func thin(orientation: Orientation) {
    for size in [PixelSize(5, 1), PixelSize(1, 5), PixelSize(1, 1)] {
      let picture = Bitmap.noise(size: size)
      let turned = picture.upright(from: orientation)
      #expect(turned.size == orientation.applied(to: size))
      #expect(turned.upright(from: inverse(orientation)) == picture)
    }
  }

  @Test(
    "cutting the stored region and then turning is the same as turning and then cutting",
    arguments: Orientation.allCases)
  func regions(orientation: Orientation) {
    let stored = Bitmap.noise(size: PixelSize(9, 6))
    let upright = stored.upright(from: orientation)
    let region = PixelRegion(x: 1, y: 2, width: 4, height: 3)
    let storedRegion = orientation.storedRegion(region, stored: stored.size)
    let resampler = Resampler()
    let cutFirst = resampler.resample(
      stored, region: storedRegion, to: orientation.applied(to: PixelSize(4, 3)))
    #expect(
      cutFirst.upright(from: orientation) == resampler.resample(upright, region: region, to: PixelSize(4, 3)))
  }

  @Test("a fractional region keeps its extent", arguments: Orientation.allCases)
  func fractionalRegions(orientation: Orientation) {
    let stored = PixelSize(100, 60)
    let region = PixelRegion(x: 1.25, y: 2.5, width: 10.5, height: 7.75)
    let turned = orientation.storedRegion(region, stored: stored)
    let extents = orientation.swapsAxes ? [7.75, 10.5] : [10.5, 7.75]
    #expect([turned.width, turned.height] == extents)
    let whole = PixelRegion(orientation.applied(to: stored))
    #expect(orientation.storedRegion(whole, stored: stored) == PixelRegion(stored))
  }

  @Test("turning keeps opacity and colour space")
  func keepsTags() {
    let tagged = Bitmap(size: PixelSize(2, 1), isOpaque: false, colorSpace: .icc(name: "P3")) { bytes, _ in
      for index in bytes.indices { bytes[index] = 3 }
    }
    let turned = tagged.upright(from: .right)
    #expect(turned.colorSpace == .icc(name: "P3"))
    #expect(!turned.isOpaque)
  }
}
