/// Why EXIF data cannot be used.
package enum EXIFDefect: Error, Hashable, Sendable, CustomStringConvertible {
  /// They do not begin like TIFF.
  case noHeader
  /// A directory extends beyond the end of the data.
  case brokenDirectory
  /// Their values together are larger than a block may be.
  case tooLarge

  /// The reason in one line, to show to people.
  package var description: String {
    switch self {
    case .noHeader: "they do not begin as TIFF does"
    case .brokenDirectory: "a directory reaches beyond their end"
    case .tooLarge: "their values are larger than they may be"
    }
  }
}
