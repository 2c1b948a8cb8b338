/// What the index knows of an entry.
struct IndexEntry {
  var key: CacheKey
  /// The number of the partition.
  var partition: Int
  /// The number of the segment in the index.
  var segment: Int
  var sequence: UInt64
  /// Nanoseconds since 1970.
  var accessed: Int64
  /// Where the record begins in its segment, and its bytes; multiples of eight.
  var offset: Int
  var length: Int
  /// Bytes of the record before the body.
  var headLength: Int
  /// Whether the entry was used since it was written to this segment.
  var isReferenced = false
}
