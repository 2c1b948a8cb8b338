/// What a decoder makes of the beginning of a file.
public enum PartialFile: Sendable {
  /// The header is not all there: more bytes are needed.
  case tooShort
  /// The header is there, and `ImageFile.feed` shows the picture while the rest comes.
  case opened(any ImageFile)
  /// Nothing can be shown before the file is whole.
  case shownWhole

  /// What a closure makes of bytes that may be too few: `truncated` means that they are.
  ///
  /// - Throws: what the closure throws else.
  public init(_ open: () throws(DecodingError) -> PartialFile) throws(DecodingError) {
    do throws(DecodingError) {
      self = try open()
    } catch .truncated {
      self = .tooShort
    }
  }
}
