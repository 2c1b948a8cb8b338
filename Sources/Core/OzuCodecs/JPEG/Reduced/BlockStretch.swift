/// Blocks of a row that are decoded at once: none of them follows a restart marker.
///
/// A function that decodes blocks takes it by value and returns it. So it has its own copy of the reader, which stays in
/// registers.
struct BlockStretch {
  var reader: BitReader
  /// The number of blocks from `column` on that the scan's last run of ends of blocks covers.
  var emptyBlocks: Int
  let row: Int
  /// The next block.
  var column: Int
  let end: Int
  /// `reader.next` must be below this before a block that is not the first: `EntropySource.prepare` was called for that one.
  let limit: UnsafePointer<UInt8>
  /// Whether a run of zeros led to a coefficient behind the last one of the scan. No encoder writes one. libjpeg takes the coefficient
  /// although another scan has it, which may have other bits of it.
  var isBroken = false
}
