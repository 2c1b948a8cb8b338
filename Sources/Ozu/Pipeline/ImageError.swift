import OzuHTTP
import OzuText

/// Why a request has no picture: a case per cause, each with the source it is about.
///
/// `description` is one line for people that begins with the source.
public enum ImageError: Error, Sendable {
  /// The address leads nowhere: an unknown scheme, no host, malformed.
  case invalidSource(String, reason: String)
  /// A size with an empty or absurd side was asked for.
  case invalidSize(PixelSize, source: String)
  /// There is no file of this name.
  case noSuchFile(String)
  /// The path is a folder.
  case isDirectory(String)
  /// The file is there but cannot be read; `code` is the system's error number.
  case unreadableFile(String, code: Int32)
  /// The server answered with a status that is not success.
  case httpStatus(Int, source: String)
  /// The host has no address.
  case nameNotResolved(String, underlying: HTTPError)
  /// The host is there and refused the connection.
  case connectionRefused(String, underlying: HTTPError)
  /// A time limit was reached.
  case timedOut(String, underlying: HTTPError)
  /// The body stopped short of what was announced.
  case bodyTruncated(String, underlying: HTTPError)
  /// The file or body is larger than allowed, in bytes.
  case bodyTooLarge(String, limit: Int)
  /// The transport failed in another way.
  case transport(String, underlying: HTTPError)
  /// A fetcher of the app threw, or what it makes of data (`dataTransformation`).
  case fetchFailed(String, underlying: any Error)
  /// The source has no bytes.
  case emptyData(String)
  /// The bytes are something else than an image; `kind` says what, when it is known.
  case notAnImage(String, kind: String?)
  /// The format is known, but nothing here reads it.
  case unsupportedType(String, type: ImageType, reason: String)
  /// The file breaks the rules of its format, in the part named.
  case corruptData(String, type: ImageType, stage: String, reason: String)
  /// The file ends before its picture does.
  case truncatedData(String, type: ImageType, stage: String)
  /// The part of the picture that was asked for lies outside the picture, which has this size.
  case regionOutside(String, region: PixelRectangle, size: PixelSize)
  /// The picture would cost more than is allowed.
  case limitExceeded(String, violation: DecodingLimits.Violation)
  /// A decoder, in a process of its own, crashed, had to be stopped, or could not be started.
  case decoderFailed(String, type: ImageType, failure: DecoderFailure)
  /// A processor could not do its step.
  case processingFailed(String, underlying: ProcessingError)
  /// The picture could not be written as a file.
  case encodingFailed(String, underlying: EncodingError)
  /// Only caches were asked, and none has it.
  case notCached(String)
  /// The request was cancelled.
  case cancelled(String)
  /// It took longer than it may; `stage` is where the load was then.
  case deadlineExceeded(String, stage: ImageStage)
}

extension ImageError {
  /// The name of the source the error is about.
  public var source: String {
    switch self {
    case .invalidSource(let source, _), .invalidSize(_, let source), .noSuchFile(let source),
      .isDirectory(let source), .unreadableFile(let source, _), .httpStatus(_, let source),
      .nameNotResolved(let source, _), .connectionRefused(let source, _), .timedOut(let source, _),
      .bodyTruncated(let source, _), .bodyTooLarge(let source, _), .transport(let source, _),
      .fetchFailed(let source, _), .emptyData(let source), .notAnImage(let source, _),
      .unsupportedType(let source, _, _), .corruptData(let source, _, _, _),
      .truncatedData(let source, _, _), .regionOutside(let source, _, _), .limitExceeded(let source, _),
      .decoderFailed(let source, _, _),
      .processingFailed(let source, _), .encodingFailed(let source, _),
      .notCached(let source), .cancelled(let source), .deadlineExceeded(let source, _):
      source
    }
  }

  /// Whether the request was called off rather than failed.
  public var isCancellation: Bool {
    if case .cancelled = self { true } else { false }
  }

  /// Whether the origin could not be reached, or not to the end.
  var isDisconnection: Bool {
    switch self {
    case .nameNotResolved(_, let error), .connectionRefused(_, let error), .timedOut(_, let error),
      .bodyTruncated(_, let error), .transport(_, let error):
      error.isDisconnection
    default: false
    }
  }

  init(_ error: DecodingError, source: String) {
    self =
      switch error {
      case .emptyData: .emptyData(source)
      case .notAnImage(let kind): .notAnImage(source, kind: kind)
      case .unsupportedType(let type, let reason): .unsupportedType(source, type: type, reason: reason)
      case .corrupt(let type, let stage, let reason):
        .corruptData(source, type: type, stage: stage, reason: reason)
      case .truncated(let type, let stage): .truncatedData(source, type: type, stage: stage)
      case .regionOutside(let part, let size): .regionOutside(source, region: part, size: size)
      case .limitExceeded(let violation): .limitExceeded(source, violation: violation)
      case .decoderFailed(let type, let failure): .decoderFailed(source, type: type, failure: failure)
      case .cancelled: .cancelled(source)
      }
  }

  init(_ error: HTTPError, source: String) {
    self =
      switch error.reason {
      case .invalidURL, .unsupportedScheme, .invalidRequest:
        .invalidSource(source, reason: error.message)
      case .nameNotResolved: .nameNotResolved(source, underlying: error)
      case .connectionRefused: .connectionRefused(source, underlying: error)
      case .timedOut: .timedOut(source, underlying: error)
      case .bodyTruncated, .contentCodingTruncated: .bodyTruncated(source, underlying: error)
      case .bodyTooLarge(let limit): .bodyTooLarge(source, limit: limit)
      case .cancelled: .cancelled(source)
      default: .transport(source, underlying: error)
      }
  }
}

extension ImageError: CustomStringConvertible {
  /// One line: the source, then what happened. Characters that a terminal obeys are written as numbers: the source may be the
  /// name of a file that somebody else has given.
  public var description: String { PrintableText.oneLine("\(source): \(explanation)") }

  /// What happened, without the source.
  public var explanation: String {
    switch self {
    case .invalidSource(_, let reason): reason
    case .invalidSize(let size, _):
      "a size of \(size) cannot be made; both sides must be from 1 to \(ImageRequest.maximumSide)"
    case .noSuchFile: "no such file"
    case .isDirectory: "this is a folder, not a file"
    case .unreadableFile(_, let code): "the file cannot be read: \(systemMessage(code))"
    case .httpStatus(let status, _): "the server answered \(status)\(Self.phrase(status))"
    case .nameNotResolved(_, let error), .connectionRefused(_, let error), .timedOut(_, let error),
      .bodyTruncated(_, let error), .transport(_, let error):
      error.message
    case .bodyTooLarge(_, let limit): "more than the limit of \(limit) bytes"
    case .fetchFailed(_, let error): "fetching failed: \(error.oneLine)"
    case .emptyData: DecodingError.emptyData.description
    case .notAnImage(_, let kind): DecodingError.notAnImage(kind: kind).description
    case .unsupportedType(_, let type, let reason):
      DecodingError.unsupportedType(type, reason: reason).description
    case .corruptData(_, let type, let stage, let reason):
      DecodingError.corrupt(type, stage: stage, reason: reason).description
    case .truncatedData(_, let type, let stage): DecodingError.truncated(type, stage: stage).description
    case .regionOutside(_, let part, let size): DecodingError.regionOutside(part, of: size).description
    case .limitExceeded(_, let violation): DecodingError.limitExceeded(violation).description
    case .decoderFailed(_, let type, let failure): DecodingError.decoderFailed(type, failure).description
    case .processingFailed(_, let error): error.description
    case .encodingFailed(_, let error): error.description
    case .notCached: "not in the caches"
    case .cancelled: "cancelled"
    case .deadlineExceeded(_, let stage):
      stage == .total ? "not done in time" : "not done in time (stage: \(stage.rawValue))"
    }
  }

  private static func phrase(_ status: Int) -> String {
    let phrases = [
      400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 410: "Gone",
      429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
      503: "Service Unavailable", 504: "Gateway Timeout",
    ]
    return phrases[status].map { " (\($0))" } ?? ""
  }
}
