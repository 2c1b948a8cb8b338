import Foundation
import Testing

@testable import OzuImaging

@Suite("Filter tables")
struct FilterTableTests {
  static let extents: [Double] = [1, 2, 3, 5, 16, 17, 100, 255, 256]
  static let counts = [1, 2, 3, 7, 16, 50, 300]

  private func tables(_ kernel: ResamplingKernel) -> [(FilterTable.Key, FilterTable)] {
    Self.extents.flatMap { extent in
      Self.counts.flatMap { count in
        [(0, extent), (0.3 * extent, 0.5 * extent), (-1, extent + 2)].map { origin, length in
          let key = FilterTable.Key(
            extent: extent, origin: origin, length: length, count: count, kernel: kernel)
          return (key, FilterTable(key))
        }
      }
    }
  }

  private func weights(_ table: FilterTable, _ sample: Int) -> [Int] {
    let first = sample * table.pairsPerSample
    return table.weights[first..<first + table.pairsPerSample].flatMap { word in
      [Int(Int16(truncatingIfNeeded: word)), Int(Int16(truncatingIfNeeded: word >> 16))]
    }
  }

  @Test("the weights of each sample sum to one exactly", arguments: ResamplingKernel.allCases)
  func sums(kernel: ResamplingKernel) {
    for (key, table) in tables(kernel) {
      let wrong = (0..<key.count).filter { weights(table, $0).reduce(0, +) != FilterTable.one }
      #expect(wrong == [], "\(key)")
    }
  }

  @Test("windows stay inside the source and never move back", arguments: ResamplingKernel.allCases)
  func bounds(kernel: ResamplingKernel) {
    for (key, table) in tables(kernel) {
      #expect(table.pairs.lowerBound >= 0)
      #expect(table.pairs.upperBound <= (Int(key.extent) + 1) / 2)
      #expect(table.starts.allSatisfy { $0 >= 0 && $0 + table.pairsPerSample <= table.pairs.count })
      #expect(zip(table.starts, table.starts.dropFirst()).allSatisfy { $0 <= $1 })
      // The neighbour of an odd last sample does not exist.
      let beyond = (0..<key.count).filter { table.weight(ofSource: Int(key.extent), inResult: $0) != 0 }
      #expect(beyond == [])
    }
  }

  @Test("two passes of overshoot have room in 16 bits", arguments: ResamplingKernel.allCases)
  func overshoot(kernel: ResamplingKernel) {
    for (key, table) in tables(kernel) {
      let largest =
        (0..<key.count).map { sample in
          weights(table, sample).reduce(0) { $0 + max(0, $1) }
        }.max() ?? 0
      // 255 x 1.41 x 1.41 x 64 is below 32,768.
      #expect(Double(largest) / Double(FilterTable.one) < 1.41, "\(key)")
    }
  }

  @Test("weights are those of the filter to one unit")
  func values() {
    let half = FilterTable(
      FilterTable.Key(extent: 4, origin: 0, length: 4, count: 2, kernel: .bilinear))
    // A triangle of width 4 around 1, cut off at 0: 0.75, 0.75, 0.25 of 1.75.
    #expect((0..<4).map { half.weight(ofSource: $0, inResult: 0) } == [7022, 7021, 2341, 0])
    #expect((0..<4).map { half.weight(ofSource: $0, inResult: 1) } == [0, 2341, 7021, 7022])
    let box = FilterTable(FilterTable.Key(extent: 3, origin: 0, length: 3, count: 2, kernel: .box))
    // One and a half samples each.
    #expect((0..<3).map { box.weight(ofSource: $0, inResult: 0) } == [10_923, 5461, 0])
  }

  @Test("a last sample that is partly inside has that part of the weight")
  func partialSample() {
    let table = FilterTable(
      FilterTable.Key(extent: 2.5, origin: 0, length: 2.5, count: 1, kernel: .box))
    #expect((0..<3).map { table.weight(ofSource: $0, inResult: 0) } == [6554, 6553, 3277])
  }

  @Test("filters have their value at 0 and are zero at their ends and at whole distances")
  func kernels() {
    for kernel in ResamplingKernel.allCases where kernel != .nearest {
      #expect(kernel.weight(at: 0) == (kernel == .mitchell ? 8.0 / 9 : 1))
      #expect(abs(kernel.weight(at: kernel.support)) < 1e-15)
      #expect(kernel.weight(at: 0.3) == kernel.weight(at: -0.3))
    }
    for kernel in [ResamplingKernel.bilinear, .catmullRom, .lanczos3] {
      for distance in [1.0, 2, 3] { #expect(abs(kernel.weight(at: distance)) < 1e-15) }
    }
    #expect(ResamplingKernel.catmullRom.weight(at: 0.5) == 0.5625)
    #expect(ResamplingKernel.catmullRom.weight(at: 1.5) == -0.0625)
    #expect(abs(ResamplingKernel.mitchell.weight(at: 1) - 1.0 / 18) < 1e-15)
  }

  @Test("a lift strengthens a wave as much as a mean of samples weakens it", arguments: [2, 5, 8])
  func lift(count: Int) {
    let lift = DetailLift.mean(columns: count, rows: 1).horizontal
    let key = FilterTable.Key(extent: 400, origin: 0, length: 400, count: 100, kernel: .lanczos3, lift: lift)
    let (lifted, plain) = (
      FilterTable(key),
      FilterTable(
        .init(
          extent: 400, origin: 0, length: 400, count: 100, kernel: .lanczos3))
    )
    // A wave of 16 samples, in the middle of one of its crests.
    let frequency = Double.pi / 8
    func strength(_ table: FilterTable) -> Double {
      (160..<240).reduce(0) { sum, source in
        let weight = Double(table.weight(ofSource: source, inResult: 50)) / Double(FilterTable.one)
        return sum + weight * cos((Double(source) + 0.5 - 202) * frequency)
      }
    }
    let mean = sin(frequency / 2) / (Double(count) * sin(frequency / Double(2 * count)))
    #expect(abs(strength(lifted) / strength(plain) * mean - 1) < 0.001)
    let sum = (0..<400).reduce(0) { $0 + lifted.weight(ofSource: $1, inResult: 50) }
    #expect(sum == FilterTable.one)
  }

  @Test("weights of 0 at the ends of a window are not read")
  func trimmed() {
    // At the same size, the filter itself has one weight, and the lift adds one on each side.
    let table = FilterTable(
      FilterTable.Key(extent: 100, origin: 0, length: 100, count: 100, kernel: .lanczos3, lift: -0.1))
    #expect(table.pairsPerSample == 2)
    let weights = (0..<100).map { table.weight(ofSource: $0, inResult: 50) }
    #expect(weights.count { $0 != 0 } == 3)
  }

  @Test("windows of a lift do not move back", arguments: [33, 60, 75, 97, 98, 99, 101, 150])
  func order(count: Int) {
    for lift in [-0.1, -0.05, -0.01, 0.01] {
      let table = FilterTable(
        FilterTable.Key(
          extent: 98.5, origin: 0.3, length: 97.1, count: count, kernel: .lanczos3, lift: lift))
      #expect(zip(table.starts, table.starts.dropFirst()).allSatisfy { $0 <= $1 })
    }
  }

  @Test("after blocks were averaged, the filter reads no sample that does not exist", arguments: [1, 2, 3])
  func samplesAfterReduction(count: Int) {
    for extent in stride(from: 300, to: 60_000, by: 7).map({ $0 }) + [18_975, 19_050, 23_114, 31_242] {
      let axis = ResamplingAxis(
        extent: extent, origin: 0, length: Double(extent), count: count, kernel: .box)
      let samples = (extent + axis.factor - 1) / axis.factor
      #expect(axis.table.map { $0.pairs.upperBound <= (samples + 1) / 2 } == true, "\(extent)")
    }
  }

  @Test("no filter has so many taps that its weights become too coarse", arguments: ResamplingKernel.allCases)
  func tapLimit(kernel: ResamplingKernel) {
    for extent in [50, 1000, 16_384, 1_000_000] {
      for count in [1, 3, 40] {
        let axis = ResamplingAxis(
          extent: extent, origin: 0, length: Double(extent), count: count, kernel: kernel)
        #expect(axis.pairsPerSample <= 130)
        #expect(axis.factor == 1 || axis.pairsPerSample >= 32)
      }
    }
  }
}

extension FilterTable {
  /// The weight of a source sample in a result sample, in units of `one`.
  func weight(ofSource source: Int, inResult result: Int) -> Int {
    let place = source - 2 * (starts[result] + pairs.lowerBound)
    guard place >= 0, place < 2 * pairsPerSample else { return 0 }
    let word = UInt32(bitPattern: weights[result * pairsPerSample + place / 2])
    return Int(Int16(truncatingIfNeeded: place & 1 == 0 ? word : word >> 16))
  }
}
