import Foundation
import JPEGOracle
import OzuImaging
import OzuLibraryCodecs
import Testing

@testable import OzuCodecs

@Suite("Reduced JPEG decoder at the limits of its numbers and buffers")
struct ReducedJPEGBoundsTests {
  /// Random numbers that are the same in each run.
  private struct Random {
    private var state: UInt64 = 88_172_645_463_325_252

    /// A number of exactly `bits` bits, of either sign.
    mutating func number(_ bits: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      let value = 1 << (bits - 1) | Int(state >> 20) & ((1 << (bits - 1)) - 1)
      return state >> 60 & 1 == 0 ? value : -value
    }
  }

  /// Every symbol has a code of 16 bits, and the code of all zeros belongs to the longest number: so the zeros that
  /// replace missing data also become the longest symbols.
  private static let longTable = JPEGWriter.Table([0x0F] + (0...11).map { UInt8($0) }, length: 16)

  /// Groups of ten blocks of 64 symbols, each with 16 bits of code. Coefficients up to `lastShort` in zigzag order
  /// have five bits and can be compared; the others have 15.
  private static func longest(_ size: PixelSize, lastShort: Int) -> JPEGWriter {
    var random = Random()
    var predictions = [0, 0, 0]
    return JPEGWriter(
      size: size, components: [.init(horizontal: 4, vertical: 2), .init(), .init()], dcTable: longTable,
      acTable: longTable
    ) { component in
      let mean = random.number(9)
      defer { predictions[component] = mean }
      return [mean - predictions[component]] + (1..<64).map { random.number($0 <= lastShort ? 5 : 15) }
    }
  }

  /// Compares the planes of a valid file with libjpeg's coefficients.
  private func expectPlanes(_ data: Data, componentCount: Int, scales: ClosedRange<Int>) throws {
    let oracle = try #require(PlaneOracle(data, componentCount: componentCount))
    defer { oracle.close() }
    for scale in scales {
      let planes = try ReducedJPEGDecoder.planes(of: data, eighths: (scale, scale), context: .init())
      for (index, plane) in try #require(planes).planes.enumerated() {
        let difference = oracle.difference(
          of: plane, component: index, identifier: UInt8(index + 1), scale: scale, isProgressive: false)
        #expect(difference.largest <= PlaneOracle.tolerance(scale: scale), "component \(index) at \(scale)/8")
        #expect(difference.blockCount > 0)
      }
    }
  }

  @Test("keeps more bytes after the reader than a group of blocks can need")
  func margin() {
    // For each coefficient a code of 17 bits and a number of 15; plus the bytes that the reader has loaded ahead.
    let largestGroup = ReducedJPEGFrame.largestGroup * 64 * (17 + 15) / 8
    #expect(EntropySource.margin >= largestGroup + 16)
  }

  @Test("has a margin after the position at which it loads more, wherever the data end")
  func marginBehindLimit() throws {
    var bytes = [UInt8](repeating: 0x11, count: 90_002)
    for count in stride(from: 0, to: 90_000, by: 499) {
      bytes.replaceSubrange(count..<count + 2, with: [0xFF, 0xD9])
      try bytes.withUnsafeBytes { file in
        var source = EntropySource(file: file, position: 0)
        var reader = source.start()
        let buffer = reader.next
        repeat {
          // The buffer has one chunk and two margins.
          try #require(source.limit - buffer <= EntropySource.chunk + EntropySource.margin, "\(count) bytes")
          reader.next = source.limit + 1
        } while source.prepare(&reader)
        #expect(source.position == count)
      }
      bytes.replaceSubrange(count..<count + 2, with: [0x11, 0x11])
    }
  }

  @Test("decodes groups of the largest length", arguments: [(0, 1...1), (24, 2...4)])
  func longestGroups(lastShort: Int, scales: ClosedRange<Int>) throws {
    let writer = Self.longest(PixelSize(640, 160), lastShort: lastShort)
    let scan = writer.scan
    // A fifteenth of the buffer for each group, and many times the buffer.
    #expect(scan.count > 6 * (32 << 10))
    try expectPlanes(writer.head + scan + [0xFF, 0xD9], componentCount: 3, scales: scales)
  }

  /// With the address sanitizer this tests that the last group does not read beyond the buffer.
  @Test("decodes the complete groups of a truncated file, wherever it ends", arguments: [1, 2, 4])
  func longestGroupsCutOff(scale: Int) throws {
    let writer = Self.longest(PixelSize(640, 32), lastShort: 0)
    let (head, scan) = (writer.head, writer.scan)
    let context = DecodingContext(allowsTruncation: true)
    func luma(_ scan: Data) throws -> SamplePlane {
      let planes = try ReducedJPEGDecoder.planes(of: head + scan, eighths: (scale, scale), context: context)
      return try #require(planes).planes[0]
    }
    let whole = try luma(scan + [0xFF, 0xD9])
    // Around the length of one chunk of the buffer, and of one chunk and a margin.
    for count in stride(from: 28_001, to: min(42_000, scan.count), by: 211) {
      let cut = try luma(scan.prefix(count))
      // The groups that end before the cut, including their stuffed zeros.
      let groups = count / 2600
      let isSame = (0..<2 * scale).allSatisfy { row in
        let start = row * whole.samplesPerRow
        return (start..<start + groups * 4 * scale).allSatisfy { cut.samples[$0] == whole.samples[$0] }
      }
      try #require(isSame, "cut off after \(count) bytes")
    }
  }

  @Test("decodes large numbers with short codes, as in optimised tables")
  func largeNumbers() throws {
    var random = Random()
    let table = JPEGWriter.Table([(0x08, 2), (0x07, 2), (0x18, 3), (0x09, 3), (0x00, 3)])
    let writer = JPEGWriter(
      size: PixelSize(64, 64), dcTable: JPEGWriter.Table((0...11).map { UInt8($0) }, length: 4),
      acTable: table
    ) { _ in
      // Coefficients 1, 2 and 4 form a square of two by two.
      [random.number(3), random.number(8), random.number(7), 0, random.number(8), random.number(9)]
        + [Int](repeating: 0, count: 58)
    }
    try expectPlanes(writer.data, componentCount: 1, scales: 1...4)
  }

  @Test("steps over a coefficient behind the last one", arguments: [1, 2, 3, 4, 5, 6, 8])
  func longRun(scale: Int) throws {
    func writer(_ behind: [Int]) -> JPEGWriter {
      var number = 0
      return JPEGWriter(
        size: PixelSize(64, 64), dcTable: JPEGWriter.Table((0...11).map { UInt8($0) }, length: 4),
        acTable: JPEGWriter.Table([0x00, 0x03, 0xF0, 0xE3], length: 3)
      ) { _ in
        number += 1
        return [number, 7] + [Int](repeating: 0, count: 62) + (number.isMultiple(of: 3) ? behind : [])
      }
    }
    func samples(_ file: Data) throws -> [Int16] {
      let planes = try ReducedJPEGDecoder.planes(of: file, eighths: (scale, scale), context: .init())
      return Array(try #require(planes).planes[0].samples)
    }
    // The run and its coefficient end the block. libjpeg-turbo takes the coefficient for the last one, which is kept only at eight eighths.
    let file = writer([5]).data
    #expect(try samples(file) == samples(writer([]).data))
    if scale < 8 { try expectPlanes(file, componentCount: 1, scales: scale...scale) }
  }

  @Test("keeps 16 bits of a mean value, as libjpeg does, if the sum of differences is larger")
  func wrappingMeans() throws {
    // Sums of 0, 32,767, 65,534, 98,301, ...: in 16 bits 0, 32,767, -2, 32,765, -4, ... Every other one can be
    // compared.
    var isFirst = true
    let writer = JPEGWriter(
      size: PixelSize(256, 64), dcTable: JPEGWriter.Table([0, 15], length: 2),
      acTable: JPEGWriter.Table([0x00, 0x01], length: 2)
    ) { _ in
      defer { isFirst = false }
      return [isFirst ? 0 : 32_767, 1] + [Int](repeating: 0, count: 62)
    }
    let data = writer.data
    try expectPlanes(data, componentCount: 1, scales: 1...4)
    // The others are far brighter than white.
    for scale in 1...4 {
      let planes = try #require(
        try ReducedJPEGDecoder.planes(of: data, eighths: (scale, scale), context: .init()))
      let plane = planes.planes[0]
      for row in 0..<8 * scale {
        for column in 0..<32 * scale where column / scale % 2 == 1 {
          try #require(plane.samples[row * plane.samplesPerRow + column] == 255 << 6, "\(scale)/8")
        }
      }
    }
  }
}
