import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import Testing

/// A JPEG whose restart markers are out of order, compared with the result of libjpeg-turbo.
@Suite("Reduced JPEG decoder, on restart markers out of order")
struct RestartMarkerTests {
  /// Each interval is a row of groups: fifteen of them.
  private static let file = JPEGVariant(PixelSize(320, 240), restartInterval: 20).data

  /// The bytes up to the first interval, and the intervals, each with the marker before it except for the first.
  private func split() throws -> (head: Data, intervals: [Data]) {
    let scan = try #require(Self.file.range(of: Data([0xFF, 0xDA])))
    let start = scan.upperBound + Int(Self.file[scan.upperBound]) << 8 + Int(Self.file[scan.upperBound + 1])
    var intervals: [Data] = []
    var from = start
    for place in start..<Self.file.count - 2
    where Self.file[place] == 0xFF && 0xD0...0xD7 ~= Self.file[place + 1] {
      intervals.append(Self.file[from..<place])
      from = place
    }
    intervals.append(Self.file[from..<Self.file.count - 2])
    return (Self.file[..<start], intervals)
  }

  /// - Parameter firstColumn: the first of the blocks that are compared.
  private func expectWhatLibjpegMakes(of file: Data, fromColumn firstColumn: Int32) throws {
    let oracle = try #require(PlaneOracle(file, componentCount: 3, allowsWarnings: true))
    defer { oracle.close() }
    let context = DecodingContext(allowsTruncation: true)
    for scale in 1...4 {
      let planes = try ReducedJPEGDecoder.planes(of: file, eighths: (scale, scale), context: context)
      for (index, plane) in try #require(planes).planes.enumerated() {
        let difference = oracle.difference(
          of: plane, component: index, identifier: UInt8(index + 1), scale: scale, isProgressive: false,
          fromColumn: firstColumn)
        #expect(difference.largest <= PlaneOracle.tolerance(scale: scale), "component \(index) at \(scale)/8")
        #expect(difference.blockCount > 0)
      }
    }
    // Two threads make the same of it.
    let whole = Outcome.of(file, eighths: (2, 2), allowsTruncation: true)
    for share in [0.2, 0.5, 0.8] {
      let halves = Assistance.before.decode(file, eighths: (2, 2), share: share, allowsTruncation: true)
      let isEqual = halves.outcome == whole.outcome
      #expect(isEqual, "the first \(share)")
    }
  }

  @Test(
    "skips as many intervals as the next marker is ahead, or treats it as the expected one", arguments: 1...7)
  func missingIntervals(count: Int) throws {
    var (head, intervals) = try split()
    try #require(intervals.count == 15)
    intervals.removeSubrange(4..<4 + count)
    // For a missing interval, libjpeg decodes the first group from zero bits.
    try expectWhatLibjpegMakes(of: head + intervals.joined() + [0xFF, 0xD9], fromColumn: 2)
  }

  @Test("skips intervals that were already decoded", arguments: 1...4)
  func doubledIntervals(count: Int) throws {
    var (head, intervals) = try split()
    intervals.insert(contentsOf: intervals[5 - count..<5], at: 5)
    try expectWhatLibjpegMakes(of: head + intervals.joined() + [0xFF, 0xD9], fromColumn: 2)
  }

  @Test("reads zeros for the bits that an interval lacks", arguments: [2, 10, 57, 200])
  func shortInterval(byteCount: Int) throws {
    var (head, intervals) = try split()
    intervals[6] = intervals[6].dropLast(byteCount)
    // A cut after the first byte of a stuffed pair would look like a marker.
    if intervals[6].last == 0xFF { intervals[6] = intervals[6].dropLast(1) }
    try expectWhatLibjpegMakes(of: head + intervals.joined() + [0xFF, 0xD9], fromColumn: 0)
  }

  @Test("leaves two missing intervals grey and decodes the rest at their places")
  func twoAhead() throws {
    var (head, intervals) = try split()
    intervals.removeSubrange(4..<6)
    let damaged = head + intervals.joined() + [0xFF, 0xD9]
    let whole = try #require(try ReducedJPEGDecoder.planes(of: Self.file, eighths: (1, 1), context: .init()))
    let planes = try #require(try ReducedJPEGDecoder.planes(of: damaged, eighths: (1, 1), context: .init()))
    let (luma, expected) = (planes.planes[0], whole.planes[0])
    // Two rows of samples for each interval.
    for row in 0..<30 {
      let places = row * luma.samplesPerRow..<row * luma.samplesPerRow + 40
      let isMissing = 8..<12 ~= row
      #expect(
        places.allSatisfy { luma.samples[$0] == (isMissing ? 128 << 6 : expected.samples[$0]) }, "\(row)")
    }
  }
}
