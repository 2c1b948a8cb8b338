/// The rows of groups of blocks that follow a restart marker.
///
/// The data behind a restart marker do not depend on those before it. So a piece of a scan can begin there, with right groups and at a known
/// place of the picture, if the markers are complete and in order: then they can be counted.
struct RestartRows {
  struct Start: Equatable {
    var row: Int
    var position: Int
  }

  /// In ascending order, without the first row.
  private(set) var starts: [Start] = []

  /// Finds the markers of a scan; `nil` if one is missing, repeated or out of order.
  ///
  /// - Parameters:
  ///   - position: where the data of the scan begin.
  ///   - interval: the groups between two markers.
  ///   - columns: the groups in a row.
  ///   - rows: the rows of groups.
  /// - Complexity: O(bytes), at the speed of `memchr`.
  init?(in file: UnsafeRawBufferPointer, from position: Int, interval: Int, columns: Int, rows: Int) {
    guard interval > 0 else { return nil }
    let bytes = Span<UInt8>(_unsafeElements: file.bindMemory(to: UInt8.self))
    var number = 0
    var at = position
    while let found = JPEGMarker.next(in: bytes, from: at), 0xD0...0xD7 ~= found.marker {
      guard Int(found.marker & 7) == number & 7 else { return nil }
      number += 1
      at = found.offset + 2
      let group = number.multipliedReportingOverflow(by: interval)
      guard !group.overflow, group.partialValue < columns * rows else { return nil }
      if group.partialValue % columns == 0 {
        starts.append(Start(row: group.partialValue / columns, position: at))
      }
    }
    guard number == (columns * rows - 1) / interval else { return nil }
  }

  /// The row between two places of the file, without them, that begins first at `middle` or after it, or else last before that; `nil` if
  /// there is none.
  func start(near middle: Int, between position: Int, and end: Int) -> Start? {
    let index = starts.firstIndex { $0.position >= middle } ?? starts.count
    if index < starts.count, starts[index].position < end { return starts[index] }
    guard index > 0, starts[index - 1].position > position else { return nil }
    return starts[index - 1]
  }
}
