/// The bounds of the numbers that only rise: those of segments and the sequence numbers of records.
///
/// A cache that stored a million entries in every second would need 70,000 years to come to the end. A file with a
/// higher number is forged, or damaged in a way that its checksum does not show.
enum LogNumbers {
  /// Segments and records with this number, or a higher one, are not read.
  static let limit: UInt64 = 1 << 62

  /// Segments with this number, or a higher one, are not read: pages of the index have four bytes for it. A cache that fills
  /// a segment in every second needs 136 years.
  static let segmentLimit: UInt64 = 1 << 32

  /// A writer that would continue with this number, or a higher one, empties the cache and begins again. The half
  /// below `limit` keeps what one process writes readable.
  static let exhausted: UInt64 = 1 << 61
  /// The same for segments.
  static let segmentsExhausted: UInt64 = 1 << 31
}
