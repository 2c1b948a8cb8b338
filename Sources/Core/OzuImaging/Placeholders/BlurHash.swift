import OzuBase

/// A picture in 6 to 166 characters: its average colour and the lowest frequencies of its cosine transform, as
/// defined by the BlurHash algorithm (github.com/woltapp/blurhash, Algorithm.md).
///
/// Servers send it together with the address of a picture, so that an app can show its colours before the picture
/// is loaded.
public struct BlurHash: Hashable, Sendable {
  /// The characters.
  public let text: String
  /// How many frequencies there are along each axis, 1 to 9.
  public let components: PixelSize

  /// Linear light of red, green, blue for each frequency, row by row; the first is the average.
  private let factors: [SIMD3<Float>]

  /// Larger pictures are reduced first: their details do not affect these frequencies.
  private static let longestSide = 256

  /// Reads a hash.
  ///
  /// - Returns: `nil` if it has a character that no hash has, or if its length does not match its first character.
  public init?(_ text: String) {
    let digits = Array(text.utf8)
    guard digits.count >= 6, let flag = Base83.value(digits[0..<1]), flag < 81 else { return nil }
    let components = PixelSize(flag % 9 + 1, flag / 9 + 1)
    guard digits.count == 4 + 2 * components.pixelCount, let quantized = Base83.value(digits[1..<2]),
      let average = Base83.value(digits[2..<6]), average <= 0xFF_FFFF
    else { return nil }
    let largest = Float(quantized + 1) / 166
    var factors = [
      SIMD3(
        LinearLight.decoded(average >> 16), LinearLight.decoded(average >> 8 & 255),
        LinearLight.decoded(average & 255))
    ]
    for index in 1..<max(1, components.pixelCount) {
      guard let value = Base83.value(digits[4 + index * 2..<6 + index * 2]), value < 19 * 19 * 19 else {
        return nil
      }
      let steps = SIMD3(Float(value / 361), Float(value / 19 % 19), Float(value % 19))
      let signed = (steps - 9) / 9
      factors.append(signed * SIMD3(abs(signed.x), abs(signed.y), abs(signed.z)) * largest)
    }
    self.text = text
    self.components = components
    self.factors = factors
  }

  /// Makes the hash of a picture. Transparent areas count as black.
  ///
  /// - Parameter components: the frequencies along each axis, 1 to 9; 4 by 3 by default.
  /// - Complexity: O(components × pixels), of at most 256 pixels a side.
  public init(encoding bitmap: Bitmap, components: PixelSize = PixelSize(width: 4, height: 3)) {
    precondition(1...9 ~= components.width && 1...9 ~= components.height, "1 to 9 components")
    let small = bitmap.reduced(toSide: Self.longestSide)
    let size = small.size
    let light = LinearLight.table
    var factors: [SIMD3<Float>] = []
    for v in 0..<components.height {
      for u in 0..<components.width {
        let columns = Cosines.values(u, count: size.width, offset: 0)
        let rows = Cosines.values(v, count: size.height, offset: 0)
        var sum = SIMD3<Float>()
        for y in 0..<size.height {
          var line = SIMD3<Float>()
          small.forEachPixel(inRow: y) { x, pixel in
            line += SIMD3(light[Int(pixel.red)], light[Int(pixel.green)], light[Int(pixel.blue)]) * columns[x]
          }
          sum += line * rows[y]
        }
        factors.append(sum * (u == 0 && v == 0 ? 1 : 2) / Float(size.pixelCount))
      }
    }
    self.components = components
    self.factors = factors
    text = Self.text(factors, components)
  }

  private static func text(_ factors: [SIMD3<Float>], _ components: PixelSize) -> String {
    let largest = factors.dropFirst().reduce(Float(0)) {
      max($0, abs($1.x), abs($1.y), abs($1.z))
    }
    let quantized = factors.count > 1 ? max(0, min(82, Int((largest * 166 - 0.5).rounded(.down)))) : 0
    let scale = factors.count > 1 ? Float(quantized + 1) / 166 : 1
    let average = factors[0]
    var text = Base83.text(components.width - 1 + (components.height - 1) * 9, digits: 1)
    text += Base83.text(quantized, digits: 1)
    let code = LinearLight.encoded(average.x) << 16 | LinearLight.encoded(average.y) << 8
    text += Base83.text(code | LinearLight.encoded(average.z), digits: 4)
    for factor in factors.dropFirst() {
      let steps = (0..<3).map { channel -> Int in
        let value = factor[channel] / scale
        let root = value < 0 ? -abs(value).squareRoot() : abs(value).squareRoot()
        return max(0, min(18, Int((root * 9 + 9.5).rounded(.down))))
      }
      text += Base83.text(steps[0] * 361 + steps[1] * 19 + steps[2], digits: 2)
    }
    return text
  }

  /// The average colour.
  public var averageColor: Pixel { Self.pixel(factors[0]) }

  /// Draws the hash.
  ///
  /// - Parameters:
  ///   - size: the size in pixels; about 32 by 32 is enough, because the view enlarges it.
  ///   - punch: above 1 for more contrast than in the picture, below 1 for less.
  /// - Complexity: O(components × pixels).
  public func bitmap(size: PixelSize, punch: Float = 1, pool: PixelBufferPool = .shared) -> Bitmap {
    let columns = (0..<components.width).map { Cosines.values($0, count: size.width, offset: 0) }
    let rows = (0..<components.height).map { Cosines.values($0, count: size.height, offset: 0) }
    return BGRABitmap.making(size: size, isOpaque: true, colorSpace: .sRGB, pool: pool) { y, row in
      for x in row.indices {
        var sum = factors[0]
        for index in factors.indices.dropFirst() {
          sum +=
            factors[index] * punch * columns[index % components.width][x]
            * rows[index / components.width][y]
        }
        row[x] = Self.pixel(sum)
      }
    }.bitmap
  }

  private static func pixel(_ light: SIMD3<Float>) -> Pixel {
    Pixel(
      red: UInt8(LinearLight.encoded(light.x)), green: UInt8(LinearLight.encoded(light.y)),
      blue: UInt8(LinearLight.encoded(light.z)))
  }

  /// Hashes are equal if their characters are.
  public static func == (a: BlurHash, b: BlurHash) -> Bool { a.text == b.text }

  /// Hashes the characters.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension Picture {
  /// A picture to show until the real one is loaded. Takes less than a millisecond.
  ///
  /// - Parameter size: a small size in pixels, because the view enlarges the picture.
  public init(placeholder hash: BlurHash, size: PixelSize = PixelSize(width: 32, height: 32)) {
    self.init(hash.bitmap(size: size), isPreview: true)
  }
}

/// Numbers in base 83, with characters that need no escape in JSON, HTML and a shell.
enum Base83 {
  private static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

  private static let values: [UInt8: Int] = Dictionary(
    uniqueKeysWithValues: digits.enumerated().map { ($0.element, $0.offset) })

  /// The number of some digits, the most significant first; `nil` if another character is among them.
  static func value(_ text: ArraySlice<UInt8>) -> Int? {
    var result = 0
    for character in text {
      guard let digit = values[character] else { return nil }
      result = result * 83 + digit
    }
    return result
  }

  static func text(_ value: Int, digits count: Int) -> String {
    var rest = value
    var characters: [UInt8] = []
    for _ in 0..<count {
      characters.append(digits[rest % 83])
      rest /= 83
    }
    return String(decoding: characters.reversed(), as: UTF8.self)
  }
}
