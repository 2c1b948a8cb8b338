/// The division of a scan into two parts, for two threads.
package struct ScanDivision: Sendable {
  /// The least number of bytes of the second part. By default 128 KB: decoding them takes about ten times as long as waking a
  /// thread.
  package var smallestByteCount: Int
  /// The fraction of the data in the first part. By default a little less than half, because its thread also resamples.
  package var share: Double

  package init(smallestByteCount: Int = 128 << 10, share: Double = 0.48) {
    self.smallestByteCount = smallestByteCount
    self.share = share
  }

  /// The offset of the second part of the data, which begin at `position`; `nil` if the part would be too small.
  ///
  /// The end of the data is not known before they are read, so the end of the file is used in its place.
  func mark(in file: UnsafeRawBufferPointer, from position: Int) -> Int? {
    guard position >= 0, position < file.count else { return nil }
    let first = max(1, Int(Double(file.count - position) * max(0, min(1, share))))
    var mark = position + first
    // The mark must not be a stuffed byte, which follows a 0xFF.
    while mark < file.count, file[mark - 1] == 0xFF { mark += 1 }
    return mark < file.count && file.count - mark >= smallestByteCount ? mark : nil
  }
}
