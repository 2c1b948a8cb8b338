import OzuImaging
import Testing

@Suite("Resampler against exact arithmetic")
struct ResamplerAccuracyTests {
  struct Case: CustomTestStringConvertible {
    var source: PixelSize
    var region: PixelRegion
    var output: PixelSize

    init(_ source: (Int, Int), to output: (Int, Int), from region: (Double, Double, Double, Double)? = nil) {
      self.source = PixelSize(source.0, source.1)
      self.output = PixelSize(output.0, output.1)
      self.region =
        region.map { PixelRegion(x: $0.0, y: $0.1, width: $0.2, height: $0.3) } ?? PixelRegion(self.source)
    }

    var testDescription: String { "\(source) (\(region)) to \(output)" }
  }

  static let cases: [Case] = [
    // Down, up, and one of each, so that both orders of passes are taken.
    Case((40, 30), to: (13, 9)), Case((13, 9), to: (40, 30)), Case((40, 9), to: (7, 31)),
    Case((9, 40), to: (31, 7)), Case((60, 8), to: (55, 2)), Case((8, 60), to: (2, 55)),
    // One axis only, with and without an offset.
    Case((40, 30), to: (40, 9)), Case((40, 30), to: (13, 30)),
    Case((40, 30), to: (17, 9), from: (3, 0, 17, 30)), Case((40, 30), to: (13, 11), from: (0, 5, 40, 11)),
    // Ratios near 1, and fractional offsets at 1.
    Case((31, 29), to: (30, 28)), Case((30, 28), to: (31, 29)),
    Case((20, 20), to: (10, 10), from: (3.25, 4.75, 10, 10)),
    // Regions with fractions, in the middle and at each border.
    Case((40, 30), to: (11, 7), from: (5.3, 4.1, 22.6, 17.9)),
    Case((40, 30), to: (11, 7), from: (0, 0, 39.125, 29.5)),
    Case((40, 30), to: (11, 7), from: (0.875, 0.5, 39.125, 29.5)),
    Case((40, 30), to: (33, 29), from: (18.2, 9.9, 1.7, 2.3)),
    // Regions that leave the bitmap.
    Case((12, 10), to: (9, 8), from: (-3, -2, 18, 14)), Case((12, 10), to: (6, 5), from: (10, 9, 30, 30)),
    // Smallest sources and results.
    Case((1, 1), to: (5, 4)), Case((1, 20), to: (3, 5)), Case((20, 1), to: (5, 3)), Case((2, 2), to: (1, 1)),
    Case((37, 23), to: (1, 1)), Case((3, 2), to: (300, 7)), Case((2, 3), to: (7, 300)),
    Case((5, 5), to: (1, 5)),
  ]

  /// The largest difference of any component.
  private func difference(
    _ source: Bitmap, _ region: PixelRegion, _ output: PixelSize, _ kernel: ResamplingKernel
  ) -> Double {
    let result = Resampler(kernel: kernel).resample(source, region: region, to: output)
    #expect(result.size == output)
    let expected = ReferenceResampler(kernel: kernel).resample(source, region: region, to: output)
    let bytes = result.withUnsafeBytes { [UInt8]($0) }
    var largest = 0.0
    for (place, exact) in expected.enumerated() {
      let offset = place / output.width * result.bytesPerRow + place % output.width * 4
      for c in 0..<4 { largest = max(largest, abs(Double(bytes[offset + c]) - exact[c])) }
    }
    return largest
  }

  @Test("no component differs by more than one step", arguments: ResamplingKernel.allCases, cases)
  func accuracy(kernel: ResamplingKernel, entry: Case) {
    let opaque = Bitmap.noise(size: entry.source, seed: 3)
    #expect(difference(opaque, entry.region, entry.output, kernel) <= 1)
    let translucent = Bitmap.noise(size: entry.source, seed: 4, isOpaque: false)
    #expect(difference(translucent, entry.region, entry.output, kernel) <= 1)
  }

  @Test("even huge reductions differ by no more than one step", arguments: ResamplingKernel.allCases)
  func hugeReductions(kernel: ResamplingKernel) {
    for entry in [
      Case((16_000, 1), to: (1, 1)), Case((1, 16_000), to: (1, 1)), Case((3001, 3), to: (7, 2)),
      Case((3, 3001), to: (2, 7)), Case((2000, 2), to: (3, 4), from: (100.3, 0, 1800.5, 2)),
      Case((1000, 90), to: (1, 1)),
    ] {
      let source = Bitmap.noise(size: entry.source, seed: 5)
      #expect(difference(source, entry.region, entry.output, kernel) <= 1, "\(entry.testDescription)")
    }
  }

  @Test("a few bright columns keep their weight in a huge reduction", arguments: [0, 1999, 3999])
  func brightColumns(column: Int) {
    let size = PixelSize(4000, 1)
    let white = Pixel(red: 255, green: 255, blue: 255)
    let black = Pixel(red: 0, green: 0, blue: 0)
    let source = Bitmap(size: size) { x, _ in x / 25 == column / 25 ? white : black }
    for kernel in ResamplingKernel.allCases {
      for width in [1, 2, 15] {
        #expect(difference(source, PixelRegion(size), PixelSize(width, 1), kernel) <= 1)
      }
    }
  }
}
