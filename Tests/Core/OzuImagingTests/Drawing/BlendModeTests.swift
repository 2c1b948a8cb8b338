import Foundation
import OzuTesting
import Testing

@testable import OzuImaging

@Suite("BlendMode")
struct BlendModeTests {
  @Test(
    "pixels are mixed as the specification says, in stored values and in light", arguments: BlendMode.allCases
  )
  func formulas(mode: BlendMode) {
    let above = Bitmap.noise(size: PixelSize(64, 24), seed: 3, isOpaque: false)
    let below = Bitmap.noise(size: PixelSize(64, 24), seed: 4, isOpaque: false)
    var sum = 0.0
    for (upper, lower) in zip(above.pixels, below.pixels) {
      let stored = mode.blend(upper, lower)
      let expected = Self.reference(mode, upper, lower, isLight: false)
      // A product in integers is rounded three times.
      let tolerance = mode == .multiply || mode == .screen ? 1.51 : 1.01
      #expect(Self.distance(stored, expected) <= tolerance, "\(upper) on \(lower)")
      let light = Self.distance(
        mode.blendLight(upper, lower, .shared), Self.reference(mode, upper, lower, isLight: true))
      // The table reads straight bytes, and dark values are steep.
      #expect(light <= 5, "\(upper) on \(lower)")
      sum += light
    }
    #expect(sum / Double(above.size.pixelCount) < 0.7)
  }

  @Test(
    "nothing changes below a transparent pixel, and an opaque pixel stays opaque",
    arguments: BlendMode.allCases)
  func edges(mode: BlendMode) {
    for pixel in Bitmap.noise(size: PixelSize(40, 9), seed: 5, isOpaque: false).pixels {
      #expect(mode.blend(.clear, pixel) == pixel)
      #expect(mode.blendLight(.clear, pixel, .shared) == pixel)
      #expect(mode.blend(pixel, Pixel(red: 9, green: 120, blue: 255)).alpha == 255)
      #expect(mode.blendLight(pixel, Pixel(red: 9, green: 120, blue: 255), .shared).alpha == 255)
      #expect(mode.blend(pixel, .clear) == pixel)
    }
  }

  /// The largest difference of a channel.
  private static func distance(_ pixel: Pixel, _ expected: [Double]) -> Double {
    let values: [UInt8] = [pixel.red, pixel.green, pixel.blue, pixel.alpha]
    return zip(values, expected).map { abs(Double($0) - $1) }.max() ?? 0
  }

  /// Red, green, blue and alpha, premultiplied, from 0 to 255: the formulas of W3C Compositing and Blending, for one
  /// channel after the other.
  private static func reference(_ mode: BlendMode, _ above: Pixel, _ below: Pixel, isLight: Bool) -> [Double]
  {
    let (upper, lower) = (Double(above.alpha) / 255, Double(below.alpha) / 255)
    let alpha = mode == .plus ? min(1, upper + lower) : upper + lower - upper * lower
    func straight(_ value: UInt8, _ alpha: Double) -> Double {
      let color = alpha > 0 ? min(1, Double(value) / 255 / alpha) : 0
      return isLight ? SRGBCurve.light(color) : color
    }
    func part(_ a: UInt8, _ b: UInt8) -> Double {
      let (source, backdrop) = (straight(a, upper), straight(b, lower))
      let sum: Double
      switch mode {
      case .plus: sum = min(1, source * upper + backdrop * lower)
      default:
        let kept = (1 - lower) * upper * source + (1 - upper) * lower * backdrop
        sum = kept + upper * lower * mixed(mode, backdrop, source)
      }
      guard isLight else { return 255 * min(sum, alpha) }
      return alpha > 0 ? 255 * alpha * SRGBCurve.value(min(1, sum / alpha)) : 0
    }
    return [
      part(above.red, below.red), part(above.green, below.green), part(above.blue, below.blue), 255 * alpha,
    ]
  }

  private static func mixed(_ mode: BlendMode, _ backdrop: Double, _ source: Double) -> Double {
    switch mode {
    case .normal, .plus: return source
    case .multiply: return backdrop * source
    case .screen: return backdrop + source - backdrop * source
    case .overlay: return mixed(.hardLight, source, backdrop)
    case .darken: return min(backdrop, source)
    case .lighten: return max(backdrop, source)
    case .colorDodge: return backdrop == 0 ? 0 : source == 1 ? 1 : min(1, backdrop / (1 - source))
    case .colorBurn: return backdrop == 1 ? 1 : source == 0 ? 0 : 1 - min(1, (1 - backdrop) / source)
    case .hardLight:
      return source <= 0.5 ? mixed(.multiply, backdrop, 2 * source) : mixed(.screen, backdrop, 2 * source - 1)
    case .softLight:
      if source <= 0.5 { return backdrop - (1 - 2 * source) * backdrop * (1 - backdrop) }
      let curve =
        backdrop <= 0.25 ? ((16 * backdrop - 12) * backdrop + 4) * backdrop : backdrop.squareRoot()
      return backdrop + (2 * source - 1) * (curve - backdrop)
    case .difference: return abs(backdrop - source)
    case .exclusion: return backdrop + source - 2 * backdrop * source
    }
  }
}
