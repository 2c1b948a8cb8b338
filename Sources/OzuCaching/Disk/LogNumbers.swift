/// The bounds of the numbers that only rise: segment numbers and sequence numbers of records.
///
/// A cache that stored a million entries every second would reach the bound after 70,000 years. A file with a
/// higher number is forged, or damaged in a way that its checksum does not show.
enum LogNumbers {
  /// Segments and records with this number, or a higher one, are not read.
  static let limit: UInt64 = 1 << 62

  /// Segments with this number, or a higher one, are not read: pages of the index have four bytes for it. A cache
  /// that fills one segment every second reaches it after 136 years.
  static let segmentLimit: UInt64 = 1 << 32

  /// A writer that would continue with this number, or a higher one, empties the cache and starts again at the
  /// beginning. It is half of `limit`, so that everything that one process writes stays readable.
  static let exhausted: UInt64 = 1 << 61
  /// The same for segments.
  static let segmentsExhausted: UInt64 = 1 << 31
}
