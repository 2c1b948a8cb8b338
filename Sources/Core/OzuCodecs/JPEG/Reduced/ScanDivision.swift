import OzuBase

/// The division of a scan into pieces, for two threads.
///
/// One thread decodes the scan from its beginning. The other takes the pieces one after the other, the last one first; each ends where
/// the one before it begins. So nobody needs to know how long a byte takes, which depends on the picture: a sky has
/// several times as many blocks in a byte as leaves.
package struct ScanDivision: Sendable {
  /// The least number of bytes of the first piece that is taken. By default 96 KB: decoding them takes about ten times as long as waking a
  /// thread.
  package var smallestByteCount: Int
  /// The least number of bytes of the others. By default 12 KB: there are some KB between the last byte that the first
  /// thread has loaded and those that it will have loaded when it sees the piece.
  package var smallestPieceByteCount: Int { smallestByteCount / 8 }
  /// The fraction of the data before the first piece that is taken. By default 0.6: if there is most work at the end of the data, the
  /// first thread is not done much earlier.
  package var share: Double

  /// The most bytes of the strips that the second thread makes of coefficients at one time, while the first one resamples those before
  /// them. By default 1 MB. A third of the rows is less in small pictures, down to an eighth of this number: making so many takes about
  /// as long as waking a thread.
  package var batchByteCount: Int

  package init(smallestByteCount: Int = 96 << 10, share: Double = 0.6, batchByteCount: Int = 1 << 20) {
    self.smallestByteCount = smallestByteCount
    self.batchByteCount = batchByteCount
    self.share = share
  }

  /// Where the first piece that is taken begins, in data that begin at `position`; `nil` if it would be too small.
  ///
  /// The end of the data is not known before they are read, so the end of the file is used in its place.
  func mark(in file: UnsafeRawBufferPointer, from position: Int) -> Int? {
    guard position >= 0, position < file.count else { return nil }
    let distance = Int(clamping: Double(file.count - position) * max(0, min(1, share)))
    let mark = Self.mark(in: file, from: position + max(1, distance))
    return mark < file.count && file.count - mark >= smallestByteCount ? mark : nil
  }

  /// Where the next piece begins: in the middle between the other thread and the pieces that were taken. `nil` if it
  /// would be too small.
  func mark(in file: UnsafeRawBufferPointer, between position: Int, and end: Int) -> Int? {
    let distance = (end - position) / 2
    guard distance >= max(1, smallestPieceByteCount) else { return nil }
    let mark = Self.mark(in: file, from: position + distance)
    return mark < end ? mark : nil
  }

  /// The first place from `position` on that is not a stuffed byte, which follows a 0xFF.
  private static func mark(in file: UnsafeRawBufferPointer, from position: Int) -> Int {
    var mark = position
    while mark < file.count, file[mark - 1] == 0xFF { mark += 1 }
    return mark
  }
}
