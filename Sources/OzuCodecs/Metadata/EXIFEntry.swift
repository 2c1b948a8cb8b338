/// A value of a directory, with a copy of its bytes.
struct EXIFEntry: Sendable {
  let tag: Int
  let type: Int
  /// The number of values of the type.
  let count: Int
  /// The bytes, in the byte order of the block.
  let bytes: [UInt8]
  /// The old offset of the bytes from the byte-order mark; `nil` for bytes that were in the directory itself.
  let position: Int?
}
