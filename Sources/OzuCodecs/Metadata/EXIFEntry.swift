/// A value of a directory, taken out of its place.
struct EXIFEntry: Sendable {
  let tag: Int
  let type: Int
  /// How many values of the type the bytes are.
  let count: Int
  /// In the order of the block.
  let bytes: [UInt8]
  /// Where they stood, counted from the byte-order mark; `nil` for bytes that stood in the directory itself.
  let position: Int?
}
