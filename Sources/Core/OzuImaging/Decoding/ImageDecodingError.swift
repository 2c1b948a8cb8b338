import OzuBase

/// Why bytes did not become a picture.
public enum ImageDecodingError: Error, Hashable, Sendable {
  /// There are no bytes.
  case emptyData
  /// The bytes are not an image; `kind` says what they look like, if that is known.
  case notAnImage(kind: String?)
  /// The format is known, but no decoder here can read it; `reason` says why.
  case unsupportedType(ImageType, reason: String)
  /// The file breaks the rules of its format; `stage` is the part in which the error was found.
  case corrupt(ImageType, stage: String, reason: String)
  /// The file ends before its picture does.
  case truncated(ImageType, stage: String)
  /// The requested part of the picture (`Resize.region`) lies outside the picture, which has this size.
  case regionOutside(PixelRectangle, of: PixelSize)
  /// The picture would cost more than is allowed.
  case limitExceeded(DecodingLimits.Violation)
  /// The decoder, in a process of its own, crashed, was stopped, or could not be started.
  case decoderFailed(ImageType, DecoderFailure)
  /// The decode was cancelled.
  case cancelled
}

extension ImageDecodingError: DescribedError {
  /// The error in one line, to show to people.
  public var description: String {
    switch self {
    case .emptyData: "there are no bytes"
    case .notAnImage(let kind?): "this is \(kind), not an image"
    case .notAnImage(nil): "this is not an image in a known format"
    case .unsupportedType(let type, let reason): "\(type.displayName) cannot be read: \(reason)"
    case .corrupt(let type, let stage, let reason): "corrupt \(type.displayName) (\(stage)): \(reason)"
    case .truncated(let type, let stage): "truncated \(type.displayName): the file ends in its \(stage)"
    case .regionOutside(let part, let size):
      "the part of \(part.size) at \(part.x),\(part.y) lies outside the picture of \(size)"
    case .limitExceeded(let violation): "refused: \(violation)"
    case .decoderFailed(let type, let failure): "the \(type.displayName) decoder \(failure)"
    case .cancelled: "cancelled"
    }
  }
}
