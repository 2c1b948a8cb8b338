import OzuTesting
import Testing

@testable import OzuImaging

@Suite("Passes over planes")
struct PlanePassTests {
  /// The same as `PlaneRun`, sample by sample.
  private func model(_ plane: SamplePlane, across: FilterTable, down: FilterTable) -> [[Int]] {
    func filter(_ samples: [Int], _ table: FilterTable) -> [Int] {
      table.starts.indices.map { result in
        let sum = samples.indices.reduce(1 << 13) {
          $0 + samples[$1] * table.weight(ofSource: $1, inResult: result)
        }
        return Int(Int16(truncatingIfNeeded: sum >> 14))
      }
    }
    let rows = (0..<Int(plane.extentHeight)).map { y in
      filter((0..<Int(plane.extentWidth)).map { Int(plane.samples[y * plane.samplesPerRow + $0]) }, across)
    }
    let columns = across.starts.indices.map { x in filter(rows.map { $0[x] }, down) }
    return down.starts.indices.map { y in columns.map { $0[y] } }
  }

  @Test(
    "give what the weights say, whatever the number of pairs",
    arguments: Cases.every(2, of: [1, 2, 3, 5, 8, 11, 15, 24, 32, 40, 58, 64, 80, 130]))
  func exact(width: Int) {
    var random = SeededGenerator(seed: UInt64(width))
    let source = PixelSize(58, 45)
    let plane = SamplePlane(
      columnCount: source.width, rowCount: source.height, extentWidth: Double(source.width),
      extentHeight: Double(source.height), lift: DetailLift(horizontal: -0.06, vertical: -0.06))
    for index in plane.samples.indices { plane.samples[index] = Int16(random.next() % (255 << 6)) }
    for kernel in ResamplingKernel.allCases {
      let output = PixelSize(width, (width * 3 + 3) / 4)
      let run = PlaneRun(
        source: plane, region: PixelRegion(x: 0, y: 0, width: 1, height: 1), size: output, kernel: kernel,
        pool: .shared)
      let stride = PlaneRun.padded(width)
      var samples = [Int16](repeating: -1, count: stride * output.height)
      samples.withUnsafeMutableBufferPointer { run.makeRows(output.height, to: $0.baseAddress!) }
      let rows = (0..<output.height).map { y in (0..<width).map { Int(samples[y * stride + $0]) } }
      #expect(rows == model(plane, across: run.across, down: run.down), "\(kernel)")
    }
  }
}
