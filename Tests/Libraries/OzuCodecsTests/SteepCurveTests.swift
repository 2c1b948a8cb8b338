import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Colours under steep curves")
struct SteepCurveTests {
  /// The sRGB value (IEC 61966-2-1) of a value from 0 to 1 under a gamma, by definition.
  private static func byte(_ value: Double, gamma: Double) -> Double {
    let light = pow(value, gamma)
    return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
  }

  /// The gamma chunk stores the inverse exponent.
  private static func chunk(gamma: Double) -> (name: String, content: [UInt8]) {
    ("gAMA", PNGFile.big(Int((100_000 / gamma).rounded())))
  }

  private static func ramp(_ count: Int, gamma: Double, colorType: UInt8, bits: Int) -> PNGFile {
    let channels = [0: 1, 2: 3, 4: 2, 6: 4][colorType] ?? 1
    let samples = (0..<count).flatMap { value in
      (0..<channels).flatMap { channel -> [UInt8] in
        let isAlpha = colorType >= 4 && channel == channels - 1
        let word = isAlpha ? 65_535 : value * 65_535 / (count - 1)
        return bits == 8 ? [UInt8(word >> 8)] : [UInt8(word >> 8), UInt8(word & 255)]
      }
    }
    return PNGFile(
      size: PixelSize(count, 1), colorType: colorType, bitDepth: UInt8(bits), samples: samples,
      chunks: [chunk(gamma: gamma)])
  }

  @Test(
    "of grey and of RGB are correct to one step", arguments: [0.4, 1, 1.4, 1.8, 2.5], [UInt8(0), 2, 4, 6])
  func bytes(gamma: Double, colorType: UInt8) throws {
    let file = Self.ramp(256, gamma: gamma, colorType: colorType, bits: 8)
    let bitmap = try CodecRegistry.standard.picture(from: file.data).bitmap
    for value in 0..<256 {
      let expected = Self.byte(Double(value) / 255, gamma: gamma)
      #expect(abs(Double(bitmap[value, 0].red) - expected) <= 1, "\(value)")
      #expect(abs(Double(bitmap[value, 0].blue) - expected) <= 1 && bitmap[value, 0].alpha == 255)
    }
  }

  /// Curves that are not steep lose up to one step when they are cut to 8 bits, times their slope.
  static let tolerances: [Double: Double] = [0.4: 1.05, 1: 1.05, 1.4: 2.5, 2.5: 2.5]

  @Test("have all their bits when they are converted", arguments: [0.4, 1, 1.4, 2.5], [UInt8(0), 2, 4, 6])
  func words(gamma: Double, colorType: UInt8) throws {
    let tolerance = try #require(Self.tolerances[gamma])
    let count = 4096
    let file = Self.ramp(count, gamma: gamma, colorType: colorType, bits: 16)
    for policy in [PixelFormatPolicy.bgra8, .asStored] {
      let bitmap = try CodecRegistry.standard.picture(
        from: file.data, context: DecodingContext(pixelFormats: policy)
      ).bitmap
      let bytes = bitmap.converted(to: .bgra8)
      for value in 0..<count {
        let expected = Self.byte(Double(value * 65_535 / (count - 1)) / 65_535, gamma: gamma)
        #expect(abs(Double(bytes[value, 0].green) - expected) <= tolerance, "\(value)")
      }
    }
  }

  @Test("are resampled as sRGB, from all their bits")
  func resized() throws {
    // The darkest 1/64 of linear light, which is four values in 8 bits.
    let count = 1024
    var samples: [UInt8] = []
    for value in 0..<count {
      for _ in 0..<3 { samples += [UInt8(value >> 8), UInt8(value & 255)] }
    }
    let file = PNGFile(
      size: PixelSize(count, 1), colorType: 2, bitDepth: 16, samples: samples, chunks: [Self.chunk(gamma: 1)])
    let resize = Resize(PixelSize(128, 1), mode: .fill)
    let small = try CodecRegistry.standard.picture(from: file.data, resize: resize).bitmap
    for x in 0..<128 {
      let expected = Self.byte((Double(x) + 0.5) * 8 / 65_535, gamma: 1)
      #expect(abs(Double(small[x, 0].red) - expected) <= 2, "\(x)")
    }
  }

  @Test("are rounded to 8 bits first if memory for 16 is not allowed, with a note")
  func memory() throws {
    let file = Self.ramp(1024, gamma: 1, colorType: 2, bits: 16)
    // 24 rows and a bitmap of 8 bits fit; one of 16 bits is too large.
    let limits = DecodingLimits(decodedByteCount: (192 + 4) * 1024)
    let picture = try CodecRegistry.standard.picture(
      from: file.data, context: DecodingContext(limits: limits))
    #expect(
      picture.notes == ["shadows have 8 bits: with more, the picture is over the limit on decoded bytes"])
    #expect(picture.bitmap.colorSpace == .sRGB)
  }
}
