/// The result of opening the beginning of a file.
public enum PartialFile: Sendable {
  /// The header is not complete: more bytes are needed.
  case tooShort
  /// The header is complete, and `ImageFile.feed` shows the picture while the rest arrives.
  case opened(any ImageFile)
  /// Nothing can be shown before the file is complete.
  case notIncremental

  /// The result of a closure that may find too few bytes: its error `truncated` becomes `tooShort`.
  ///
  /// - Throws: all other errors of the closure.
  public init(_ open: () throws(ImageDecodingError) -> PartialFile) throws(ImageDecodingError) {
    do throws(ImageDecodingError) {
      self = try open()
    } catch .truncated {
      self = .tooShort
    }
  }
}
