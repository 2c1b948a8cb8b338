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
      enlarges: Bool = false, sides: (Int, Int)? = nil,
      gives output: (Int, Int), from region: (Double, Double, Double, Double)? = nil
    ) {
      self.source = PixelSize(source.0, source.1)
      var resize = Resize(
        PixelSize(target.0, target.1), mode: mode, crops: crops, allowsUpscaling: enlarges)
      resize.sidesOfSmall = sides.map { PixelSize($0.0, $0.1) }
      self.resize = resize
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
    // A third of a pixel is left out.
    Case((1000, 333), (100, 100), .aspectFit, gives: (100, 33)),
    Case((1000, 333), (100, 100), .aspectFill, gives: (300, 100)),
    Case((1000, 333), (100, 100), .aspectFill, crops: true, gives: (100, 100), from: (333.5, 0, 333, 333)),
    Case((333, 1000), (100, 100), .aspectFill, crops: true, gives: (100, 100), from: (0, 333.5, 333, 333)),
    Case((1000, 333), (100, 100), .fill, gives: (100, 100)),
    Case((4000, 3000), (100, 100), .aspectFill, crops: true, gives: (100, 100), from: (500, 0, 3000, 3000)),
    Case((4001, 3001), (320, 240), .aspectFit, gives: (320, 240)),
    Case((4001, 3001), (320, 240), .aspectFill, gives: (320, 240)),
    Case(
      (4001, 3001), (320, 240), .aspectFill, crops: true, gives: (320, 240), from: (0, 0.125, 4001, 3000.75)),
    // Cropping has no effect in the other modes.
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
    // Only the side that would grow is kept.
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
    // Not high enough to cover the size, but wide enough to be cropped.
    Case((100, 50), (60, 60), .aspectFill, gives: (100, 50)),
    Case((100, 50), (60, 60), .aspectFill, crops: true, gives: (50, 50), from: (25, 0, 50, 50)),
    // An odd margin: the crop stays on whole pixels where pixels are not scaled.
    Case((101, 50), (60, 60), .aspectFill, crops: true, gives: (50, 50), from: (25, 0, 50, 50)),
    Case((101, 50), (60, 50), .aspectFill, crops: true, gives: (60, 50), from: (20, 0, 60, 50)),
    Case((50, 101), (50, 60), .aspectFill, crops: true, gives: (50, 60), from: (0, 20, 50, 60)),
    Case((1, 1), (1000, 1000), .aspectFill, crops: true, enlarges: true, gives: (1000, 1000)),
    Case((3, 1), (10, 10), .aspectFit, enlarges: true, gives: (10, 3)),
    Case((7, 7), (7, 7), .aspectFill, crops: true, gives: (7, 7)),
    // Each side on its own, from the middle; not where the picture covers the sides, and not in other modes.
    Case((100, 50), (200, 200), .aspectFill, crops: true, sides: (200, 200), gives: (100, 50)),
    Case(
      (100, 50), (60, 60), .aspectFill, crops: true, sides: (60, 60), gives: (60, 50), from: (20, 0, 60, 50)),
    Case(
      (100, 50), (200, 20), .aspectFill, crops: true, sides: (200, 20), gives: (100, 20),
      from: (0, 15, 100, 20)),
    Case(
      (100, 50), (120, 120), .aspectFill, crops: true, sides: (40, 40), gives: (50, 50),
      from: (25, 0, 50, 50)),
    Case((100, 50), (20, 10), .aspectFill, crops: true, sides: (20, 10), gives: (20, 10)),
    Case((100, 50), (200, 200), .aspectFill, sides: (200, 20), gives: (100, 50)),
    Case((100, 50), (200, 200), .aspectFit, sides: (20, 20), gives: (100, 50)),
  ]

  @Test("a recipe gives the size and the region of the table", arguments: reducing + small)
  func table(_ entry: Case) {
    let geometry = ResizeGeometry(source: entry.source, resize: entry.resize)
    #expect(geometry.outputSize == entry.output)
    #expect(geometry.region == entry.region ?? PixelRegion(entry.source))
    #expect(geometry.isIdentity == (entry.output == entry.source))
  }

  /// The size of a picture that is fitted into another one: what libvips 8.18 (`vips_thumbnail_image` with
  /// `VIPS_SIZE_DOWN`) and Pillow 13 (`Image.thumbnail`) give, side by side.
  ///
  /// Of 2,910 random sizes (sides up to 900 into sides up to 300) libvips rounds to the nearest pixel, a half up, in all,
  /// and so does Ozu. Pillow takes whichever of the two whole sides has the nearer proportions, which is the same in 2,887;
  /// the other 23 are short sides whose part of a pixel is just below a half, such as the last three of the table.
  static let peerSizes: [(source: (Int, Int), size: (Int, Int), vips: (Int, Int), pillow: (Int, Int))] = [
    ((321, 140), (37, 37), (37, 16), (37, 16)), ((3, 2), (2, 2), (2, 1), (2, 1)),
    ((1000, 1), (10, 10), (10, 1), (10, 1)), ((1000, 3), (100, 100), (100, 1), (100, 1)),
    ((4032, 3024), (250, 250), (250, 188), (250, 188)), ((1999, 1000), (100, 100), (100, 50), (100, 50)),
    ((5, 3), (4, 4), (4, 2), (4, 2)), ((3, 1), (2, 2), (2, 1), (2, 1)), ((7, 5), (3, 3), (3, 2), (3, 2)),
    ((640, 427), (100, 100), (100, 67), (100, 67)), ((10, 3), (5, 5), (5, 2), (5, 2)),
    ((446, 6), (180, 48), (180, 2), (180, 3)), ((707, 818), (3, 156), (3, 3), (3, 4)),
    ((829, 263), (52, 137), (52, 16), (52, 17)),
  ]

  @Test(
    "a fitted picture has the size that libvips gives it, and Pillow within a pixel", arguments: peerSizes)
  func peers(source: (Int, Int), size: (Int, Int), vips: (Int, Int), pillow: (Int, Int)) {
    let output = ResizeGeometry(
      source: PixelSize(source.0, source.1), resize: Resize(PixelSize(size.0, size.1))
    ).outputSize
    #expect(output == PixelSize(vips.0, vips.1))
    #expect(abs(output.width - pillow.0) <= 1 && abs(output.height - pillow.1) <= 1)
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

  @Test("a filling picture covers its size and is no larger than needed")
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

  @Test("the region lies inside the source, centred, and a crop keeps proportions", arguments: [false, true])
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
}
