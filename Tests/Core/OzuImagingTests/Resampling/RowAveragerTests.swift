import OzuImaging
import Testing

@Suite("Row averager")
struct RowAveragerTests {
  struct Case: CustomTestStringConvertible {
    var size: PixelSize
    var channels = 1
    var step: RowAverager.Step

    var testDescription: String { "\(size) of \(channels) by \(step.columns)x\(step.rows)" }
  }

  static let cases: [Case] = [
    Case(size: PixelSize(1, 1), step: .init(columns: 1, rows: 1)),
    Case(size: PixelSize(1, 1), step: .init(columns: 128, rows: 128)),
    Case(size: PixelSize(17, 5), step: .init(columns: 1, rows: 1)),
    Case(size: PixelSize(16, 8), step: .init(columns: 4, rows: 4)),
    Case(size: PixelSize(33, 7), step: .init(columns: 5, rows: 3)),
    Case(size: PixelSize(41, 9), channels: 3, step: .init(columns: 4, rows: 2)),
    Case(size: PixelSize(31, 9), channels: 3, step: .init(columns: 1, rows: 2)),
    Case(size: PixelSize(30, 11), channels: 4, step: .init(columns: 7, rows: 4)),
    Case(size: PixelSize(300, 260), channels: 4, step: .init(columns: 128, rows: 128)),
  ]
  /// Every step for which there is a loop of its own, and steps whose sums need more than sixteen bits.
  static let steps: [Case] = [3, 4].flatMap { channels in
    [1, 2, 3, 4, 5, 6, 7, 16, 17].map {
      Case(size: PixelSize(47, 41), channels: channels, step: .init(columns: $0, rows: $0))
    }
  }

  @Test("several rows at once make the means that they make one by one", arguments: cases + steps, [1, 3, 8])
  func severalRows(_ entry: Case, count: Int) {
    let (size, channels) = (entry.size, entry.channels)
    let stride = size.width * channels + 5
    let bytes = (0..<size.height * stride).map { UInt8(truncatingIfNeeded: $0 * 37 ^ $0 >> 3 | 0xC0) }
    let single = RowAverager(size: size, channels: channels, step: entry.step, pool: .shared)
    let several = RowAverager(size: size, channels: channels, step: entry.step, pool: .shared)
    for y in 0..<size.height {
      single.add(bytes: Array(bytes[y * stride..<y * stride + size.width * channels]).span)
    }
    bytes.withUnsafeBufferPointer { bytes in
      for y in Swift.stride(from: 0, to: size.height, by: count) {
        // There are `stride` bytes for each row.
        several.add(bytes: bytes.baseAddress! + y * stride, stride: stride, rows: min(count, size.height - y))
      }
    }
    for (one, other) in zip(single.planes, several.planes) {
      for row in 0..<one.rowCount {
        for column in 0..<(size.width + entry.step.columns - 1) / entry.step.columns {
          let index = row * one.samplesPerRow + column
          #expect(one.samples[index] == other.samples[index])
        }
      }
    }
  }

  @Test("every sample is the mean of its square, to a sixty-fourth", arguments: cases + steps)
  func means(_ entry: Case) {
    let (size, channels, step) = (entry.size, entry.channels, entry.step)
    func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int { (x * 37 + y * 101 + channel * 59 + x * y) % 256 }
    let averager = RowAverager(size: size, channels: channels, step: step, pool: .shared)
    for y in 0..<size.height {
      let row = (0..<size.width).flatMap { x in (0..<channels).map { UInt8(sample(x, y, $0)) } }
      averager.add(bytes: row.span)
    }
    #expect(averager.planes.count == channels)
    for (channel, plane) in averager.planes.enumerated() {
      #expect(plane.extentWidth == Double(size.width) / Double(step.columns))
      for row in 0..<plane.rowCount {
        for column in 0..<(size.width + step.columns - 1) / step.columns {
          let ys = row * step.rows..<min((row + 1) * step.rows, size.height)
          let xs = column * step.columns..<min((column + 1) * step.columns, size.width)
          let sum = ys.reduce(0) { sum, y in xs.reduce(sum) { $0 + sample($1, y, channel) } }
          let mean = Double(sum) / Double(xs.count * ys.count)
          let found = Double(plane.samples[row * plane.samplesPerRow + column]) / 64
          #expect(abs(found - mean) <= 0.51 / 64)
        }
      }
    }
  }

  @Test("samples of ten bits are scaled to eight bits, with fractional bits")
  func deepSamples() {
    let averager = RowAverager(
      size: PixelSize(5, 2), channels: 1, step: .init(columns: 2, rows: 2), white: 1023, pool: .shared)
    for row in [[1023, 1023, 0, 0, 1023], [1023, 1023, 0, 0, 0]] as [[UInt16]] {
      averager.add(words: row.span)
    }
    let samples = averager.planes[0].samples
    #expect(samples[0] == 255 * 64)
    #expect(samples[1] == 0)
    #expect(samples[2] == 255 * 32)
  }

  @Test("a row of another length ends the program, and is not read beyond its end")
  func wrongRows() async {
    await #expect(processExitsWith: .failure) {
      let averager = RowAverager(
        size: PixelSize(9, 2), channels: 1, step: .init(columns: 2, rows: 2), pool: .shared)
      averager.add(bytes: [UInt8](repeating: 7, count: 8).span)
    }
    await #expect(processExitsWith: .failure) {
      let averager = RowAverager(
        size: PixelSize(9, 2), channels: 1, step: .init(columns: 2, rows: 2), pool: .shared)
      averager.add(words: [UInt16](repeating: 7, count: 8).span)
    }
  }

  @Test("a picture as bright as possible stays in range, with every length of sums", arguments: [1, 3, 4])
  func brightest(channels: Int) {
    // 257 samples of 255 are the most that fit into sixteen bits.
    for step in [16, 17, 128] {
      let averager = RowAverager(
        size: PixelSize(256, 256), channels: channels, step: .init(columns: step, rows: step), pool: .shared)
      let white = [UInt8](repeating: 255, count: 256 * channels)
      for _ in 0..<256 { averager.add(bytes: white.span) }
      for plane in averager.planes { #expect(plane.samples[0] == 255 * 64) }
    }
  }
}
