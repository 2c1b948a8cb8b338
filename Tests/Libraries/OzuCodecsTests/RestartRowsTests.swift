import Foundation
import Testing

@testable import OzuCodecs

@Suite("The rows behind restart markers")
struct RestartRowsTests {
  /// Data between markers, with stuffed bytes and fill bytes.
  private static func scan(_ markers: [UInt8], end: [UInt8] = [0xFF, 0xD9]) -> [UInt8] {
    markers.reduce(into: [1, 0xFF, 0, 2]) { bytes, number in
      bytes += (number == 3 ? [0xFF] : []) + [0xFF, 0xD0 + number, 7, 0xFF, 0, 8]
    } + end
  }

  private static func starts(_ bytes: [UInt8], interval: Int, columns: Int, rows: Int) -> [RestartRows.Start]?
  {
    bytes.withUnsafeBytes {
      RestartRows(in: $0, from: 0, interval: interval, columns: columns, rows: rows)?.starts
    }
  }

  @Test(
    "are those that begin with a marker", arguments: [[0xFF, 0xD9], [], [0xFF], [0xFF, 0xDA, 0xFF, 0xD2]])
  func rows(end: [UInt8]) throws {
    // 30 groups in rows of six: markers before groups 4, 8, 12, …, and 28.
    let bytes = Self.scan([0, 1, 2, 3, 4, 5, 6], end: end)
    let starts = try #require(Self.starts(bytes, interval: 4, columns: 6, rows: 5))
    #expect(starts.map(\.row) == [2, 4])
    // The third and the sixth marker, each with its length.
    #expect(starts.map(\.position) == [4 + 2 * 6 + 2, 4 + 5 * 6 + 1 + 2])
    // A marker for every row, and for every second one.
    #expect(
      Self.starts(Self.scan([0, 1, 2, 3], end: end), interval: 6, columns: 6, rows: 5)?.map(\.row) == [
        1, 2, 3, 4,
      ])
    #expect(
      Self.starts(Self.scan([0, 1], end: end), interval: 12, columns: 6, rows: 5)?.map(\.row) == [2, 4])
  }

  @Test(
    "are unknown if a marker is missing, repeated, one too many or another one",
    arguments: [[0, 1, 3, 4], [0, 1, 1, 2], [0, 1, 2], [0, 1, 2, 3, 4], [1, 2, 3, 4], [0, 1, 2, 5], []])
  func disorder(markers: [UInt8]) {
    #expect(Self.starts(Self.scan(markers), interval: 6, columns: 6, rows: 5) == nil)
  }

  @Test("count beyond seven")
  func manyMarkers() {
    let markers = (0..<99).map { UInt8($0 % 8) }
    let starts = Self.starts(Self.scan(markers), interval: 1, columns: 10, rows: 10)
    #expect(starts?.map(\.row) == Array(1...9))
    #expect(Self.starts(Self.scan(markers), interval: .max, columns: 10, rows: 10) == nil)
  }

  @Test("are found by their place")
  func search() throws {
    let markers = (0..<20).map { UInt8($0 % 8) }
    let bytes = Self.scan(markers)
    try bytes.withUnsafeBytes { file in
      let rows = try #require(RestartRows(in: file, from: 0, interval: 2, columns: 2, rows: 21))
      for (position, end) in [(0, bytes.count), (30, 60), (40, 41), (20, 200)] {
        let between = rows.starts.filter { position < $0.position && $0.position < end }
        for middle in position...end {
          let found = rows.start(near: middle, between: position, and: end)
          #expect(found == (between.first { $0.position >= middle } ?? between.last))
        }
      }
    }
  }
}
