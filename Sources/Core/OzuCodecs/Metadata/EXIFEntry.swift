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

/// Why EXIF data cannot be used.
package enum EXIFDefect: Error, Hashable, Sendable, CustomStringConvertible {
  /// They do not begin with a TIFF header.
  case noHeader
  /// A directory extends beyond the end of the data.
  case brokenDirectory
  /// Their values together are larger than the limit for a block (`ImageMetadata.largestBlock`).
  case tooLarge

  /// The reason in one line, to show to people.
  package var description: String {
    switch self {
    case .noHeader: "they do not begin with a TIFF header"
    case .brokenDirectory: "a directory extends beyond their end"
    case .tooLarge: "their values are larger than the limit"
    }
  }
}
