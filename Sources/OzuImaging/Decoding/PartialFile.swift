/// What a decoder makes of the beginning of a file.
public enum PartialFile: Sendable {
  /// The header is not all there: more bytes are needed.
  case tooShort
  /// The header is there, and `ImageFile.feed` shows the picture while the rest comes.
  case opened(any ImageFile)
  /// Nothing can be shown before the file is whole.
  case shownWhole

  /// Opens what may be too short: `truncated` means that it is.
  ///
  /// - Throws: what `open` throws else.
  public init(opening open: () throws(DecodingError) -> any ImageFile) throws(DecodingError) {
    do throws(DecodingError) {
      self = .opened(try open())
    } catch .truncated {
      self = .tooShort
    }
  }
}
