/// The data of the index about one entry.
struct IndexEntry {
  var key: CacheKey
  /// The number of the partition.
  var partition: Int
  /// The number of the segment in the index.
  var segment: Int
  var sequence: UInt64
  /// Nanoseconds since 1970.
  var accessed: Int64
  /// The offset of the record in its segment and its length, in bytes; both are multiples of eight.
  var offset: Int
  var length: Int
  /// The bytes of the record before its body.
  var headLength: Int
  /// Whether the entry was used since it was written to this segment.
  var isReferenced = false
}
