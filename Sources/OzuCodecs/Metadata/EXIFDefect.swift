/// Why EXIF data are of no use.
package enum EXIFDefect: Error, Hashable, Sendable, CustomStringConvertible {
  /// They do not begin as TIFF does.
  case noHeader
  /// A directory reaches beyond the end.
  case brokenDirectory
  /// Their values are more bytes than a block may have.
  case tooLarge

  /// One line for people.
  package var description: String {
    switch self {
    case .noHeader: "they do not begin as TIFF does"
    case .brokenDirectory: "a directory reaches beyond their end"
    case .tooLarge: "their values are larger than they may be"
    }
  }
}
