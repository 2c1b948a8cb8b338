import OzuImaging
import Testing

@Suite("Planar pictures")
struct PlanarPictureTests {
  /// A plane of one value, in the samples of a file.
  private func plane(_ value: Int, white: Double = 255) -> SamplePlane {
    let averager = RowAverager(
      size: PixelSize(8, 8), channels: 1, step: .init(columns: 2, rows: 2), white: white, pool: .shared)
    let row = [UInt16](repeating: UInt16(value), count: 8)
    for _ in 0..<8 { averager.add(words: row.span) }
    return averager.planes[0]
  }

  private func pixel(_ picture: PlanarPicture, format: PixelFormat = .bgra8) -> Pixel {
    let region = PixelRegion(x: 0, y: 0, width: 1, height: 1)
    let bitmap = Resampler().resample(
      picture, region: region, to: PixelSize(3, 3), format: format, pool: .shared
    ) { () throws(Never) in }
    #expect(bitmap.format == format)
    return bitmap[1, 1]
  }

  struct Case: CustomTestStringConvertible {
    var samples: (Int, Int, Int)
    var encoding: YCbCrEncoding
    var pixel: Pixel

    var testDescription: String { "\(samples) \(encoding)" }
  }

  // ITU-R BT.601, BT.709 and BT.2020, in the rounded integers of their full and narrow ranges.
  static let cases: [Case] = [
    Case(samples: (0, 128, 128), encoding: .jfif, pixel: Pixel(red: 0, green: 0, blue: 0)),
    Case(samples: (255, 128, 128), encoding: .jfif, pixel: Pixel(red: 255, green: 255, blue: 255)),
    Case(samples: (76, 85, 255), encoding: .jfif, pixel: Pixel(red: 254, green: 0, blue: 0)),
    Case(samples: (16, 128, 128), encoding: .webp, pixel: Pixel(red: 0, green: 0, blue: 0)),
    Case(samples: (235, 128, 128), encoding: .webp, pixel: Pixel(red: 255, green: 255, blue: 255)),
    Case(samples: (81, 90, 240), encoding: .webp, pixel: Pixel(red: 254, green: 0, blue: 0)),
    Case(
      samples: (63, 102, 240), encoding: YCbCrEncoding(matrix: .bt709, isFullRange: false),
      pixel: Pixel(red: 255, green: 1, blue: 0)),
    Case(
      samples: (54, 99, 255), encoding: YCbCrEncoding(matrix: .bt709, isFullRange: true),
      pixel: Pixel(red: 254, green: 0, blue: 0)),
    Case(
      samples: (512, 512, 512), encoding: YCbCrEncoding(matrix: .bt2020, isFullRange: true, bits: 10),
      pixel: Pixel(red: 128, green: 128, blue: 128)),
    Case(
      samples: (940, 512, 512), encoding: YCbCrEncoding(matrix: .bt2020, isFullRange: false, bits: 10),
      pixel: Pixel(red: 255, green: 255, blue: 255)),
    Case(
      samples: (256, 2048, 2048), encoding: YCbCrEncoding(matrix: .bt709, isFullRange: false, bits: 12),
      pixel: Pixel(red: 0, green: 0, blue: 0)),
  ]

  @Test("luma and chroma become the colours of their standard", arguments: cases)
  func conversion(_ entry: Case) {
    let white = entry.encoding.white
    let picture = PlanarPicture(
      luma: plane(entry.samples.0, white: white),
      chroma: (plane(entry.samples.1, white: white), plane(entry.samples.2, white: white)),
      encoding: entry.encoding)
    for format in [PixelFormat.bgra8, .rgba16] {
      let found = pixel(picture, format: format)
      #expect(abs(Int(found.red) - Int(entry.pixel.red)) <= 1)
      #expect(abs(Int(found.green) - Int(entry.pixel.green)) <= 1)
      #expect(abs(Int(found.blue) - Int(entry.pixel.blue)) <= 1)
      #expect(found.alpha == 255)
    }
  }

  @Test(
    "a picture of one colour gets exactly the bytes of T.871, also if a filter combines several samples",
    arguments: [(3, 7), (60, 1), (128, 11), (201, 0), (255, 3)])
  func evenColors(luma: Int, offset: Int) {
    func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
    for blue in stride(from: offset, to: 256, by: 12) {
      for red in stride(from: offset, to: 256, by: 12) {
        let found = pixel(PlanarPicture(luma: plane(luma), chroma: (plane(blue), plane(red))))
        let (y, b, r) = (Double(luma), Double(blue - 128), Double(red - 128))
        #expect(found.red == byte(y + (1.402 * r).rounded()))
        // 1.772 × 125 is equally near to two integers; the bits of the factor decide.
        let expected = Int(byte(y + (1.772 * b).rounded()))
        #expect(abs(Int(found.blue) - expected) <= (abs(b) == 125 ? 1 : 0))
        // Some sums of green are within the precision of its constants equally near to two integers.
        let green = y - 0.344136 * b - 0.714136 * r
        #expect(abs(Double(found.green) - max(0, min(255, green))) <= 0.505)
      }
    }
  }

  @Test("chroma between two whole numbers gives a colour between their colours")
  func betweenColors() {
    func picture(_ red: UInt16) -> PlanarPicture {
      let averager = RowAverager(
        size: PixelSize(8, 8), channels: 1, step: .init(columns: 2, rows: 2), pool: .shared)
      let row = (0..<8).map { $0 % 2 == 0 ? red : red + 1 }
      for _ in 0..<8 { averager.add(words: row.span) }
      return PlanarPicture(luma: plane(100), chroma: (plane(128), averager.planes[0]))
    }
    // 1.402 × 2 rounds to 3, 1.402 × 3 to 4: between them is 3.5, which rounds up. The exact value would be 3.505.
    #expect(pixel(picture(130)).red == 104)
    // 1.402 × 5 rounds to 7, 1.402 × 6 to 8: the exact value would be 7.7.
    #expect(pixel(picture(133)).red == 108)
    // 1.402 × -4 rounds to -6, 1.402 × -3 to -4.
    #expect(pixel(picture(124)).red == 95)
  }

  @Test("colours are not changed, and never exceed alpha")
  func colors() {
    let opaque = PlanarPicture(blue: plane(10), green: plane(120), red: plane(250))
    #expect(pixel(opaque) == Pixel(red: 250, green: 120, blue: 10))
    let faint = PlanarPicture(blue: plane(10), green: plane(20), red: plane(250), alpha: plane(100))
    #expect(pixel(faint) == Pixel(red: 100, green: 20, blue: 10, alpha: 100))
  }
}
