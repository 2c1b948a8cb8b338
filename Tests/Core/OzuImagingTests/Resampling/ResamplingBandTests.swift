import OzuBase
import OzuTesting
import Testing

@testable import OzuImaging

@Suite("Bands and strips")
struct ResamplingBandTests {
  private static func plane(_ size: PixelSize, seed: UInt64) -> SamplePlane {
    var random = SeededGenerator(seed: seed)
    let plane = SamplePlane(
      columnCount: size.width, rowCount: size.height, extentWidth: Double(size.width) - 0.25,
      extentHeight: Double(size.height) - 0.75)
    for index in plane.samples.indices { plane.samples[index] = Int16(random.next() % (255 << 6)) }
    return plane
  }

  @Test(
    "make the same rows as one piece",
    arguments: [
      (PixelSize(70, 90), PixelSize(33, 47)), (PixelSize(64, 2000), PixelSize(16, 40)),
      (PixelSize(9, 9), PixelSize(50, 70)), (PixelSize(30, 4000), PixelSize(30, 5)),
    ], [1, 2, 7, 16])
  func bands(sizes: (PixelSize, PixelSize), rows: Int) {
    let (source, output) = sizes
    let plane = Self.plane(source, seed: 7)
    let region = PixelRegion(x: 0.1, y: 0.05, width: 0.8, height: 0.9)
    func run() -> PlaneRun {
      PlaneRun(source: plane, region: region, size: output, kernel: .lanczos3, pool: .shared)
    }
    let stride = PlaneRun.padded(output.width)
    func makeRows(_ count: Int) -> [Int16] {
      let run = run()
      var samples = [Int16](repeating: -1, count: stride * output.height)
      samples.withUnsafeMutableBufferPointer { samples in
        for top in Swift.stride(from: 0, to: output.height, by: count) {
          run.makeRows(min(count, output.height - top), to: samples.baseAddress! + top * stride)
        }
      }
      return samples
    }
    #expect(makeRows(rows) == makeRows(output.height))
  }

  /// The light of a whole picture in planes, which `LightRows` never makes at once.
  private func wholeLight(_ bitmap: Bitmap, _ step: RowAverager.Step) -> [SamplePlane] {
    let channels = bitmap.isOpaque ? 3 : 4
    let averagers = (0..<channels).map { _ in
      RowAverager(size: bitmap.size, channels: 1, step: step, white: 65_535, pool: .shared)
    }
    for y in 0..<bitmap.size.height {
      for channel in 0..<channels {
        let row = (0..<bitmap.size.width).map { x in
          let pixel = bitmap[x, y]
          return LightTable.shared.light(
            of: SIMD4(pixel.blue, pixel.green, pixel.red, pixel.alpha), isOpaque: bitmap.isOpaque)[channel]
        }
        averagers[channel].add(words: row.span)
      }
    }
    return averagers.map { $0.planes[0] }
  }

  @Test(
    "of linear light give the same result as planes of the whole picture",
    arguments: [
      (PixelSize(300, 200), PixelSize(250, 150)), (PixelSize(300, 400), PixelSize(33, 47)),
      (PixelSize(20, 4001), PixelSize(20, 3)), (PixelSize(30, 30), PixelSize(90, 130)),
    ], [true, false])
  func light(sizes: (PixelSize, PixelSize), isOpaque: Bool) {
    let (source, output) = sizes
    let bitmap = Bitmap.noise(size: source, seed: 11, isOpaque: isOpaque)
    let size = Double(source.height)
    for region in [PixelRegion(source), PixelRegion(x: 2.5, y: size / 2, width: 15, height: size / 3)] {
      let resampler = Resampler(light: .linear)
      let result = resampler.resample(bitmap, region: region, to: output)
      let planes = wholeLight(bitmap, resampler.averagingStep(region: region, to: output))
      let expected = resampler.resample(
        planes, content: .light(isOpaque: isOpaque),
        region: region.scaled(horizontal: 1 / Double(source.width), vertical: 1 / size), to: output,
        colorSpace: .sRGB, pool: .shared
      ) { () throws(Never) in }
      #expect(result == expected)
    }
  }
}
