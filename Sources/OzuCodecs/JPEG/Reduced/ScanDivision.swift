/// Where a scan is divided in two, for two threads.
package struct ScanDivision: Sendable {
  /// How many bytes the second part has at least. By default 128 KB: some ten times what waking a thread takes.
  package var smallestByteCount: Int
  /// How much of the data the first part has. By default a little less than half: it also puts both together.
  package var share: Double

  package init(smallestByteCount: Int = 128 << 10, share: Double = 0.49) {
    self.smallestByteCount = smallestByteCount
    self.share = share
  }

  /// Where the second part of the data that begin at `position` begins; `nil` when it would be too small.
  ///
  /// Where the data end is not known before they are read: it is taken for the end of the file.
  func mark(in file: UnsafeRawBufferPointer, from position: Int) -> Int? {
    guard position >= 0, position < file.count else { return nil }
    let first = max(1, Int(Double(file.count - position) * max(0, min(1, share))))
    var mark = position + first
    // No byte that is stuffed: it follows a 0xFF.
    while mark < file.count, file[mark - 1] == 0xFF { mark += 1 }
    return mark < file.count && file.count - mark >= smallestByteCount ? mark : nil
  }
}
