import OzuImaging
import Testing

@Suite("Resize geometry")
struct ResizeGeometryTests {
  struct Case: CustomTestStringConvertible {
    var source: PixelSize
    var resize: Resize
    var output: PixelSize
    /// `nil` for the whole source.
    var region: PixelRegion?

    init(
      _ source: (Int, Int), _ target: (Int, Int), _ mode: ScaleMode, crops: Bool = false,
      enlarges: Bool = false,
      gives output: (Int, Int), from region: (Double, Double, Double, Double)? = nil
    ) {
      self.source = PixelSize(source.0, source.1)
      resize = Resize(PixelSize(target.0, target.1), mode: mode, crops: crops, allowsUpscaling: enlarges)
      self.output = PixelSize(output.0, output.1)
      self.region = region.map { PixelRegion(x: $0.0, y: $0.1, width: $0.2, height: $0.3) }
    }

    var testDescription: String { "\(source) \(resize.identifier)" }
  }

  static let reducing: [Case] = [
    Case((4000, 3000), (320, 240), .fill, gives: (320, 240)),
    Case((4000, 3000), (320, 240), .aspectFit, gives: (320, 240)),
    Case((4000, 3000), (320, 240), .aspectFill, gives: (320, 240)),
    Case((4000, 3000), (320, 240), .aspectFill, crops: true, gives: (320, 240)),
    Case((4000, 3000), (320, 240), .none, gives: (4000, 3000)),
    // One third of a pixel is a pixel.
    Case((1000, 333), (100, 100), .aspectFit, gives: (100, 34)),
    Case((1000, 333), (100, 100), .aspectFill, gives: (301, 100)),
    Case((1000, 333), (100, 100), .aspectFill, crops: true, gives: (100, 100), from: (333.5, 0, 333, 333)),
    Case((333, 1000), (100, 100), .aspectFill, crops: true, gives: (100, 100), from: (0, 333.5, 333, 333)),
    Case((1000, 333), (100, 100), .fill, gives: (100, 100)),
    Case((4000, 3000), (100, 100), .aspectFill, crops: true, gives: (100, 100), from: (500, 0, 3000, 3000)),
    Case((4001, 3001), (320, 240), .aspectFit, gives: (320, 240)),
    Case((4001, 3001), (320, 240), .aspectFill, gives: (320, 241)),
    Case(
      (4001, 3001), (320, 240), .aspectFill, crops: true, gives: (320, 240), from: (0, 0.125, 4001, 3000.75)),
    // Cropping means nothing to the other modes.
    Case((1000, 500), (100, 100), .aspectFit, crops: true, gives: (100, 50)),
    Case((1000, 500), (100, 100), .fill, crops: true, gives: (100, 100)),
    Case((1000, 500), (100, 100), .none, crops: true, gives: (1000, 500)),
    // Extreme proportions.
    Case((10_000, 1), (100, 100), .aspectFit, gives: (100, 1)),
    Case((1, 10_000), (100, 100), .aspectFit, gives: (1, 100)),
    Case((10_000, 10), (100, 5), .aspectFill, gives: (5000, 5)),
    Case((16_384, 16_384), (1, 1), .aspectFit, gives: (1, 1)),
    Case((16_384, 2), (1, 1), .aspectFill, crops: true, gives: (1, 1), from: (8191, 0, 2, 2)),
  ]

  static let small: [Case] = [
    Case((100, 50), (200, 200), .fill, gives: (100, 50)),
    Case((100, 50), (200, 200), .fill, enlarges: true, gives: (200, 200)),
    // Only the side that would grow stays.
    Case((100, 50), (60, 200), .fill, gives: (60, 50)),
    Case((100, 50), (200, 200), .aspectFit, gives: (100, 50)),
    Case((100, 50), (200, 200), .aspectFit, enlarges: true, gives: (200, 100)),
    Case((100, 50), (200, 200), .aspectFill, gives: (100, 50)),
    Case((100, 50), (200, 200), .aspectFill, enlarges: true, gives: (400, 200)),
    Case((100, 50), (200, 200), .aspectFill, crops: true, gives: (50, 50), from: (25, 0, 50, 50)),
    Case((1280, 853), (1280, 960), .aspectFill, crops: true, gives: (1137, 853), from: (71, 0, 1137, 853)),
    Case((853, 1280), (960, 1280), .aspectFill, crops: true, gives: (853, 1137), from: (0, 71, 853, 1137)),
    Case((3, 100), (1000, 10), .aspectFill, crops: true, gives: (3, 1), from: (0, 49, 3, 1)),
    Case(
      (100, 50), (200, 200), .aspectFill, crops: true, enlarges: true, gives: (200, 200),
      from: (25, 0, 50, 50)),
    // Too low to cover, but wide enough to be cut.
    Case((100, 50), (60, 60), .aspectFill, gives: (100, 50)),
    Case((100, 50), (60, 60), .aspectFill, crops: true, gives: (50, 50), from: (25, 0, 50, 50)),
    // An odd margin: the crop stays on whole pixels where pixels are not scaled.
    Case((101, 50), (60, 60), .aspectFill, crops: true, gives: (50, 50), from: (25, 0, 50, 50)),
    Case((101, 50), (60, 50), .aspectFill, crops: true, gives: (60, 50), from: (20, 0, 60, 50)),
    Case((50, 101), (50, 60), .aspectFill, crops: true, gives: (50, 60), from: (0, 20, 50, 60)),
    Case((1, 1), (1000, 1000), .aspectFill, crops: true, enlarges: true, gives: (1000, 1000)),
    Case((3, 1), (10, 10), .aspectFit, enlarges: true, gives: (10, 4)),
    Case((7, 7), (7, 7), .aspectFill, crops: true, gives: (7, 7)),
  ]

  @Test("a recipe gives the size and the area of the table", arguments: reducing + small)
  func table(_ entry: Case) {
    let geometry = ResizeGeometry(source: entry.source, resize: entry.resize)
    #expect(geometry.outputSize == entry.output)
    #expect(geometry.region == entry.region ?? PixelRegion(entry.source))
    #expect(geometry.isIdentity == (entry.output == entry.source))
  }

  @Test("without a recipe the picture stays as it is")
  func noRecipe() {
    let geometry = ResizeGeometry(source: PixelSize(640, 480), resize: nil)
    #expect(geometry.isIdentity)
    #expect(geometry.outputSize == PixelSize(640, 480))
    #expect(geometry.region == PixelRegion(x: 0, y: 0, width: 640, height: 480))
  }

  @Test("a target of billions of pixels does not overflow", arguments: ScaleMode.allCases, [false, true])
  func hugeTarget(mode: ScaleMode, enlarges: Bool) {
    let resize = Resize(PixelSize(.max, .max), mode: mode, crops: false, allowsUpscaling: enlarges)
    let output = ResizeGeometry(source: PixelSize(16_384, 3), resize: resize).outputSize
    #expect(!output.isEmpty)
    if !enlarges { #expect(output == PixelSize(16_384, 3)) }
    let cut = Resize(PixelSize(.max, .max), mode: .aspectFill, crops: true)
    #expect(ResizeGeometry(source: PixelSize(16_384, 3), resize: cut).outputSize == PixelSize(3, 3))
  }

  static let sides = [1, 2, 3, 7, 64, 99, 100, 333, 1000, 4001]
  static let sizes = sides.flatMap { width in sides.map { PixelSize(width, $0) } }
  static let targets = [1, 5, 100, 320].flatMap { width in [1, 6, 100, 1000].map { PixelSize(width, $0) } }

  private func failures(
    _ mode: ScaleMode, crops: Bool = false, enlarges: Bool,
    holds: (_ source: PixelSize, _ target: PixelSize, _ geometry: ResizeGeometry) -> Bool
  ) -> [String] {
    Self.sizes.flatMap { source in
      Self.targets.compactMap { target in
        let resize = Resize(target, mode: mode, crops: crops, allowsUpscaling: enlarges)
        let geometry = ResizeGeometry(source: source, resize: resize)
        return holds(source, target, geometry) ? nil : "\(source) to \(target): \(geometry)"
      }
    }
  }

  @Test("a fitting picture lies inside its size and touches it")
  func fits() {
    let enlarged = failures(.aspectFit, enlarges: true) { _, target, geometry in
      let output = geometry.outputSize
      return output.width <= target.width && output.height <= target.height
        && (output.width == target.width || output.height == target.height)
    }
    #expect(enlarged == [])
    let reduced = failures(.aspectFit, enlarges: false) { _, target, geometry in
      geometry.isIdentity
        || geometry.outputSize.width <= target.width && geometry.outputSize.height <= target.height
    }
    #expect(reduced == [])
  }

  @Test("a filling picture covers its size and is no larger than that takes")
  func fills() {
    let uncovered = failures(.aspectFill, enlarges: true) { _, target, geometry in
      let output = geometry.outputSize
      return output.width >= target.width && output.height >= target.height
        && (output.width == target.width || output.height == target.height)
    }
    #expect(uncovered == [])
  }

  @Test("no side grows without permission", arguments: ScaleMode.allCases, [false, true])
  func growsNot(mode: ScaleMode, crops: Bool) {
    let grown = failures(mode, crops: crops, enlarges: false) { source, _, geometry in
      geometry.outputSize.width <= source.width && geometry.outputSize.height <= source.height
    }
    #expect(grown == [])
  }

  @Test("a crop has exactly its size where the source is large enough", arguments: [false, true])
  func cropIsExact(enlarges: Bool) {
    let inexact = failures(.aspectFill, crops: true, enlarges: enlarges) { source, target, geometry in
      let isLargeEnough = source.width >= target.width && source.height >= target.height
      return !(isLargeEnough || enlarges) || geometry.outputSize == target
    }
    #expect(inexact == [])
  }

  @Test("a crop has the shape of its size, to half a pixel, where the source is too small for the size")
  func cropKeepsItsShape() {
    let misshapen = failures(.aspectFill, crops: true, enlarges: false) { source, target, geometry in
      let output = geometry.outputSize
      if output == target { return true }
      let width = Double(output.height) * Double(target.width) / Double(target.height)
      let height = Double(output.width) * Double(target.height) / Double(target.width)
      let touches = output.width == source.width || output.height == source.height
      return touches
        && (abs(width - Double(output.width)) <= 0.5 || abs(height - Double(output.height)) <= 0.5
          || output.height == 1 || output.width == 1)
    }
    #expect(misshapen == [])
  }

  @Test("the area lies inside the source, centred, and a crop keeps proportions", arguments: [false, true])
  func regionIsInside(enlarges: Bool) {
    let outside = failures(.aspectFill, crops: true, enlarges: enlarges) { source, target, geometry in
      let region = geometry.region
      let right = Double(source.width) - region.x - region.width
      let below = Double(source.height) - region.y - region.height
      let scaleDifference =
        region.width / Double(geometry.outputSize.width) * Double(geometry.outputSize.height) / region.height
        - 1
      return region.x >= 0 && region.y >= 0 && right >= 0 && below >= 0 && abs(right - region.x) <= 1
        && abs(below - region.y) <= 1 && abs(scaleDifference) < 1e-9
    }
    #expect(outside == [])
  }

  @Test("proportions are kept to one pixel", arguments: [ScaleMode.aspectFit, .aspectFill])
  func proportions(mode: ScaleMode) {
    let distorted = failures(mode, enlarges: true) { source, _, geometry in
      let output = geometry.outputSize
      let width = Double(output.height) * Double(source.width) / Double(source.height)
      let height = Double(output.width) * Double(source.height) / Double(source.width)
      return abs(width - Double(output.width)) <= 1 || abs(height - Double(output.height)) <= 1
    }
    #expect(distorted == [])
  }

  @Test(
    "a part is what a picture of its size would be, at its place",
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
