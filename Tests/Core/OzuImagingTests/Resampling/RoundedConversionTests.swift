import OzuTesting
import Testing

@testable import OzuImaging

@Suite("Rounded conversion")
struct RoundedConversionTests {
  /// The conversion as it is described: differences for whole numbers of chroma, rounded as a full decode does, and
  /// interpolated. In integers, but one pixel at a time.
  private struct Model {
    let red: Int
    let blue: Int
    let greenOfBlue: Int
    let greenOfRed: Int
    let isCoarse: Bool

    init(_ encoding: YCbCrEncoding) {
      func fixed(_ value: Double, bits: Int) -> Int {
        let steps = Double(1 << (encoding.factorBits ?? bits))
        return Int((value * steps).rounded() / steps * Double(1 << bits))
      }
      let kr = encoding.matrix.red
      let kb = encoding.matrix.blue
      red = fixed(2 * (1 - kr), bits: 14)
      blue = fixed(2 * (1 - kb), bits: 14)
      greenOfBlue = fixed(-2 * kb * (1 - kb) / (1 - kr - kb), bits: 15)
      greenOfRed = fixed(-2 * kr * (1 - kr) / (1 - kr - kb), bits: 15)
      isCoarse = encoding.factorBits != nil
    }

    /// Chroma around 0, its integer and its fraction.
    private func split(_ sample: Int) -> (Int, Int) {
      let chroma = min(max(sample - 128 << 6, -16_319), 16_319)
      return (chroma >> 6, chroma & 63)
    }

    private func difference(_ sample: Int, _ factor: Int) -> Int {
      let (whole, part) = split(sample)
      func rounded(_ whole: Int) -> Int { ((whole * factor) >> 9 + (isCoarse ? 15 : 16)) >> 5 }
      return rounded(whole) << 6 + (rounded(whole + 1) - rounded(whole)) * part
    }

    private func green(_ blue: Int, _ red: Int) -> Int {
      let (b, bluePart) = split(blue)
      let (r, redPart) = split(red)
      func rounded(_ b: Int, _ r: Int) -> Int {
        ((b * greenOfBlue + r * greenOfRed) >> 9 + (isCoarse ? 31 : 32)) >> 6
      }
      func side(_ r: Int) -> Int {
        rounded(b, r) << 6 + (rounded(b + 1, r) - rounded(b, r)) * bluePart
      }
      return side(r) + ((side(r + 1) - side(r)) * redPart + 32) >> 6
    }

    func pixel(luma: Int, blue blueChroma: Int, red redChroma: Int) -> UInt32 {
      func byte(_ difference: Int) -> UInt32 { UInt32(min(max((luma + difference + 32) >> 6, 0), 255)) }
      return byte(difference(blueChroma, blue)) | byte(green(blueChroma, redChroma)) << 8
        | byte(difference(redChroma, red)) << 16 | 0xFF00_0000
    }
  }

  static let encodings = [
    YCbCrEncoding.jfif, YCbCrEncoding(matrix: .bt709, isFullRange: true),
    YCbCrEncoding(matrix: .bt2020, isFullRange: true),
    YCbCrEncoding(matrix: .bt601, isFullRange: true, factorBits: 6),
    YCbCrEncoding(matrix: .bt709, isFullRange: true, factorBits: 6),
    YCbCrEncoding(matrix: .bt2020, isFullRange: true, factorBits: 7),
  ]

  /// The number of pixels that differ from the model, of a row for each `luma`.
  private func differences(
    _ encoding: YCbCrEncoding, luma: [Int], blue: [Int], red: [Int]
  ) throws -> Int {
    let conversion = try #require(RoundedConversion(encoding))
    let model = Model(encoding)
    let luma = luma.map { Int16($0) }
    var blueRow = blue.map { Int16($0) }
    var redRow = red.map { Int16($0) }
    var pixels = [UInt32](repeating: 0, count: luma.count)
    luma.withUnsafeBufferPointer { luma in
      blueRow.withUnsafeMutableBufferPointer { blue in
        redRow.withUnsafeMutableBufferPointer { red in
          pixels.withUnsafeMutableBufferPointer {
            conversion.convert(
              luma: luma.baseAddress!, blue: blue.baseAddress!, red: red.baseAddress!, to: $0.baseAddress!,
              width: luma.count)
          }
        }
      }
    }
    return pixels.indices.count { index in
      pixels[index] != model.pixel(luma: Int(luma[index]), blue: blue[index], red: red[index])
    }
  }

  @Test("rounds at all pairs of whole numbers as a full decode, and in between", arguments: encodings)
  func chroma(encoding: YCbCrEncoding) throws {
    var random = SeededGenerator(seed: 5)
    func bits(_ count: Int) -> Int { Int(random.next() >> (64 - UInt64(count))) }
    for whole in 0..<256 {
      // Luma in the middle, so that nothing is limited, and a value that shows the last bit of the sum.
      let luma = (0..<256).map { _ in 100 << 6 + bits(11) }
      let blue = (0..<256).map { _ in whole << 6 + bits(6) }
      let red = (0..<256).map { $0 << 6 + bits(6) }
      #expect(try differences(encoding, luma: luma, blue: blue, red: red) == 0, "\(whole)")
    }
  }

  @Test("limits the overshoots of filters", arguments: encodings)
  func overshoots(encoding: YCbCrEncoding) throws {
    var random = SeededGenerator(seed: 9)
    // Chroma minus its middle has 16 bits too.
    func any() -> Int { max(-24_576, Int(Int16(truncatingIfNeeded: random.next()))) }
    let ends = [-24_576, -24_575, -16_384, -8192, -1, 0, 1, 8191, 8192, 16_320, 24_511, 24_512, 32_767]
    let luma =
      [-32_768] + ends.dropFirst() + (0..<2035).map { _ in Int(Int16(truncatingIfNeeded: random.next())) }
    let blue = ends.reversed() + (0..<2035).map { _ in any() }
    let red = ends + (0..<2035).map { _ in any() }
    #expect(try differences(encoding, luma: luma, blue: blue, red: red) == 0)
  }

  @Test("writes no group of four pixels beyond the width", arguments: [1, 4, 5, 8, 12])
  func width(width: Int) throws {
    let conversion = try #require(RoundedConversion(.jfif))
    var rows = [Int16](repeating: 128 << 6, count: 48)
    var pixels = [UInt32](repeating: 1, count: 24)
    rows.withUnsafeMutableBufferPointer { rows in
      let row = rows.baseAddress!
      pixels.withUnsafeMutableBufferPointer {
        conversion.convert(luma: row, blue: row + 16, red: row + 32, to: $0.baseAddress!, width: width)
      }
    }
    let written = (width + 3) / 4 * 4
    #expect(pixels == (0..<24).map { $0 < written ? 0xFF80_8080 : 1 })
  }
}
