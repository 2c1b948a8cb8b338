import OzuBase

/// 64 bits that describe how a picture looks from a distance: copies in another size, format or quality have nearly
/// the same bits, other pictures about half of them.
///
/// ```swift
/// let hash = PerceptualHash(picture.bitmap)
/// let small = picture.resized(Resize(PixelSize(width: 64, height: 64)))
/// let isCopy = PerceptualHash(small.bitmap).distance(to: hash) <= 10
/// ```
///
/// The picture is reduced to 32 by 32 grey pixels and transformed by a DCT. Each bit says whether one of the 64
/// lowest frequencies, without the mean, is above the median of all of them (Zauner, "Implementation and Benchmarking
/// of Perceptual Image Hash Functions", 2010). Crops, turns and mirrored pictures have other hashes. It is not
/// safe against people who want two pictures to have one hash.
public struct PerceptualHash: Hashable, Sendable {
  /// The 64 bits. The highest is the lowest frequency of both axes; the others follow row by row.
  public let bits: UInt64

  /// The side of the reduced picture, and that of the square of frequencies.
  private static let (side, frequencyCount) = (32, 8)

  /// `cosines[f * side + x]`: frequency `f + 1` at the centre of pixel `x`.
  private static let cosines: [Float] = (1...frequencyCount).flatMap { frequency in
    (0..<side).map { cos(.pi / Float(side) * Float(frequency) * (Float($0) + 0.5)) }
  }

  /// Makes a hash from its bits, such as stored ones.
  public init(bits: UInt64) {
    self.bits = bits
  }

  /// Computes the hash of a picture. Transparent pixels count as middle grey, so that neither a white nor a black
  /// drawing disappears. A picture of one colour has no bits.
  ///
  /// - Complexity: O(pixels).
  public init(_ bitmap: Bitmap) {
    let side = Self.side
    let small = Resampler(kernel: .bilinear).resample(
      bitmap, region: PixelRegion(bitmap.size), to: PixelSize(side, side))
    var gray = [Float](repeating: 0, count: side * side)
    for y in 0..<side {
      small.forEachPixel(inRow: y) { x, pixel in
        let luma = 0.299 * Float(pixel.red) + 0.587 * Float(pixel.green) + 0.114 * Float(pixel.blue)
        gray[y * side + x] = luma + 128 * Float(255 - pixel.alpha) / 255
      }
    }
    let frequencies = Self.frequencies(of: gray)
    let ordered = frequencies.sorted()
    let middle = ordered.count / 2
    let median = (ordered[middle - 1] + ordered[middle]) / 2
    bits = frequencies.reduce(0) { $0 << 1 | ($1 > median ? 1 : 0) }
  }

  /// The number of bits that differ, from 0 to 64. Up to about 10, the pictures are most likely copies of one.
  public func distance(to other: PerceptualHash) -> Int { (bits ^ other.bits).nonzeroBitCount }

  /// The lowest frequencies of both axes without the mean, row by row.
  private static func frequencies(of gray: [Float]) -> [Float] {
    var columns = [Float](repeating: 0, count: side * frequencyCount)
    for y in 0..<side {
      for frequency in 0..<frequencyCount {
        var sum: Float = 0
        for x in 0..<side { sum += gray[y * side + x] * cosines[frequency * side + x] }
        columns[y * frequencyCount + frequency] = sum
      }
    }
    return (0..<frequencyCount * frequencyCount).map { index in
      let (row, column) = (index / frequencyCount, index % frequencyCount)
      var sum: Float = 0
      for y in 0..<side { sum += columns[y * frequencyCount + column] * cosines[row * side + y] }
      // A step of 8 bits in a single pixel is larger. Less is the rounding of these sums, which must not become bits.
      return abs(sum) < 0.25 ? 0 : sum
    }
  }
}

extension PerceptualHash: LosslessStringConvertible {
  /// The bits as 16 hexadecimal digits.
  public var description: String { bits.bigEndianBytes(8).hexadecimal }

  /// Reads 16 hexadecimal digits; `nil` for any other text.
  public init?(_ description: String) {
    guard description.utf8.count == 16, description.allSatisfy(\.isHexDigit),
      let bits = UInt64(description, radix: 16)
    else { return nil }
    self.init(bits: bits)
  }
}

extension PerceptualHash: Codable {
  /// Reads the 16 hexadecimal digits.
  ///
  /// - Throws: `DecodingError` for any other text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let hash = PerceptualHash(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a perceptual hash has 16 hexadecimal digits")
    }
    self = hash
  }

  /// Writes the 16 hexadecimal digits: many readers of JSON round whole numbers of 64 bits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
