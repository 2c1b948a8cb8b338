import OzuBase
import OzuCodecs
import OzuImaging

/// Colours of a picture, for facts about it.
extension BGRABitmap {
  /// The mean colour of all pixels by their opacity, not premultiplied.
  var average: ColorValue {
    withPixels { pixels, rows in
      var sum = ColorSum()
      for y in 0..<size.height { for index in rows[y] { sum.add(pixels[index]) } }
      return sum.mean
    }
  }

  /// The mean of the colours that are most frequent, of 4,096 kinds; `nil` for a picture without an opaque pixel.
  private var dominantColor: ColorValue? {
    withPixels { pixels, rows in
      var kinds: [Int: ColorSum] = [:]
      for y in 0..<size.height {
        for index in rows[y] where pixels[index].alpha >= 128 {
          let pixel = pixels[index]
          let kind = Int(pixel.red >> 4) << 8 | Int(pixel.green >> 4) << 4 | Int(pixel.blue >> 4)
          kinds[kind, default: ColorSum()].add(pixel)
        }
      }
      // The smaller number of two equally frequent kinds, so that the answer is always the same.
      return kinds.min { ($1.value.count, $0.key) < ($0.value.count, $1.key) }?.value.mean
    }
  }
}

extension BGRABitmap {
  /// At most `limit` colours that stand for the picture, the most frequent first, each with the number of its pixels.
  func palette(atMost limit: Int) -> [(color: ColorValue, count: Int)] {
    var sums: [Pixel: Int] = [:]
    BGRABitmap(bitmap.reduced(toColors: limit, effort: .medium)).withPixels { pixels, rows in
      for y in 0..<size.height { for index in rows[y] { sums[pixels[index], default: 0] += 1 } }
    }
    let colors = sums.map { pixel, count -> (color: ColorValue, count: Int) in
      var sum = ColorSum()
      sum.add(pixel)
      return (sum.mean, count)
    }
    // Of two equally frequent colours the smaller one, so that the answer is always the same.
    return colors.sorted { ($1.count, $0.color.number) < ($0.count, $1.color.number) }
  }

  /// The most frequent colour as `dominant`, and the colours that a design may take, by imgproxy's names.
  ///
  /// - Parameter completed: whether those that the picture lacks are made of the others.
  func dominantColors(completed: Bool) -> [String: ColorValue] {
    var colors: [String: ColorValue] = [:]
    colors["dominant"] = dominantColor
    let swatches = palette(atMost: 64).filter { $0.color.alpha >= 128 }
    let most = Double(swatches.map(\.count).max() ?? 1)
    var taken: Set<ColorValue> = []
    for role in ColorRole.all {
      let scored = swatches.compactMap { swatch -> (color: ColorValue, score: Double)? in
        let score = taken.contains(swatch.color) ? nil : role.score(swatch.color, Double(swatch.count) / most)
        return score.map { (swatch.color, $0) }
      }
      // The first of equals, which are sorted.
      guard let best = scored.map(\.score).max(), let color = scored.first(where: { $0.score == best })?.color
      else { continue }
      taken.insert(color)
      colors[role.name] = color
    }
    guard completed else { return colors }
    let found = ColorRole.all.filter { colors[$0.name] != nil }
    for role in ColorRole.all where colors[role.name] == nil {
      let near = found.first { $0.isVibrant == role.isVibrant } ?? found.first
      colors[role.name] = near.flatMap { colors[$0.name] }.map { role.color(like: $0) }
    }
    return colors
  }
}

/// A role of a colour in a design, by hue, saturation and lightness: the classes and weights of Android's Palette library.
private struct ColorRole {
  let name: String
  let isVibrant: Bool
  let lightness: (least: Double, best: Double, most: Double)

  private static let dark = (least: 0.0, best: 0.26, most: 0.45)
  private static let normal = (least: 0.3, best: 0.5, most: 0.7)
  private static let light = (least: 0.55, best: 0.74, most: 1.0)

  /// In the order in which they choose.
  static let all = [
    ColorRole(name: "vibrant", isVibrant: true, lightness: normal),
    ColorRole(name: "light_vibrant", isVibrant: true, lightness: light),
    ColorRole(name: "dark_vibrant", isVibrant: true, lightness: dark),
    ColorRole(name: "muted", isVibrant: false, lightness: normal),
    ColorRole(name: "light_muted", isVibrant: false, lightness: light),
    ColorRole(name: "dark_muted", isVibrant: false, lightness: dark),
  ]

  private var saturation: (least: Double, best: Double, most: Double) {
    isVibrant ? (0.35, 1, 1) : (0, 0.3, 0.4)
  }

  /// How well a colour fits; `nil` for not at all.
  ///
  /// - Parameter share: its pixels in proportion to those of the most frequent colour.
  func score(_ color: ColorValue, _ share: Double) -> Double? {
    let (_, saturation, lightness) = color.hueSaturationLightness
    guard (self.saturation.least...self.saturation.most).contains(saturation),
      (self.lightness.least...self.lightness.most).contains(lightness)
    else { return nil }
    let near = 0.24 * (1 - abs(saturation - self.saturation.best))
    return near + 0.52 * (1 - abs(lightness - self.lightness.best)) + 0.24 * share
  }

  /// A colour of this role with the hue of another one.
  func color(like other: ColorValue) -> ColorValue {
    let (hue, saturation, _) = other.hueSaturationLightness
    let range = self.saturation.least...self.saturation.most
    return ColorValue(
      hue: hue, saturation: range.contains(saturation) ? saturation : self.saturation.best,
      lightness: lightness.best)
  }
}

extension ColorValue {
  fileprivate var number: Int { Int(red) << 24 | Int(green) << 16 | Int(blue) << 8 | Int(alpha) }

  /// Each from 0 to 1.
  fileprivate var hueSaturationLightness: (hue: Double, saturation: Double, lightness: Double) {
    let (r, g, b) = (Double(red) / 255, Double(green) / 255, Double(blue) / 255)
    let (most, least) = (max(r, g, b), min(r, g, b))
    let (range, lightness) = (most - least, (most + least) / 2)
    guard range > 0 else { return (0, 0, lightness) }
    let saturation = range / (1 - abs(2 * lightness - 1))
    var hue = (r - g) / range + 4
    if most == r { hue = (g - b) / range } else if most == g { hue = (b - r) / range + 2 }
    return ((hue < 0 ? hue + 6 : hue) / 6, min(1, saturation), lightness)
  }

  fileprivate init(hue: Double, saturation: Double, lightness: Double) {
    let range = saturation * min(lightness, 1 - lightness)
    func part(_ place: Double) -> UInt8 {
      let step = (place + hue * 12).truncatingRemainder(dividingBy: 12)
      let value = lightness - range * max(-1, min(step - 3, 9 - step, 1))
      return UInt8(clamping: Int(clamping: value * 255, rounded: .toNearestOrAwayFromZero))
    }
    self.init(red: part(0), green: part(8), blue: part(4))
  }
}

/// The sum of pixels, which are premultiplied.
private struct ColorSum {
  private(set) var count = 0
  private var (red, green, blue, alpha) = (0, 0, 0, 0)

  mutating func add(_ pixel: Pixel) {
    count += 1
    red += Int(pixel.red)
    green += Int(pixel.green)
    blue += Int(pixel.blue)
    alpha += Int(pixel.alpha)
  }

  var mean: ColorValue {
    func part(_ sum: Int) -> UInt8 { UInt8(clamping: alpha == 0 ? 0 : (sum * 255 + alpha / 2) / alpha) }
    return ColorValue(
      red: part(red), green: part(green), blue: part(blue),
      alpha: UInt8(clamping: count == 0 ? 0 : (alpha + count / 2) / count))
  }
}

extension ColorValue {
  var members: [String: Any] {
    ["R": Int(red), "G": Int(green), "B": Int(blue), "A": Int(alpha)]
  }
}
