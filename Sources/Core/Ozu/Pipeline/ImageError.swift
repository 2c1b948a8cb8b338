import OzuBase
import OzuHTTP
import OzuImaging

/// The reason why a request has no picture: a kind, the source, and the error that caused it, if there is one.
///
/// ```swift
/// do {
///   show(try await ImagePipeline.shared.image(for: url))
/// } catch {
///   switch error.kind {
///   case .cancelled: break
///   case .httpStatus where error.statusCode == 404: print("there is no such picture")
///   default: print(error)
///   }
/// }
/// ```
///
/// `description` is one line for people that begins with the source. A later version may add kinds, so a `switch` needs a
/// `default`. Where the type of an error is not known, a kind is a pattern: `catch ImageError.Kind.notCached`.
///
/// A cancelled request fails with an error of the kind `cancelled`. The calls of Ozu throw `ImageError` and nothing else, so
/// `catch is CancellationError` never matches them. Test `isCancellation`, or catch `ImageError.Kind.cancelled`. It is not
/// a `CancellationError`, because a request can also be cancelled while the task of the caller continues: when the app
/// cancels an `ImageTask`, or a prefetcher stops. `underlying` is then a `CancellationError`, for code that looks for one.
public struct ImageError: Error, Sendable {
  /// The cause.
  public let kind: Kind
  /// The name of the source of the request: an address, a path or a key.
  public let source: String

  /// The error that caused this one, if it comes from another module or from the app.
  var cause: (any Error)?
  /// A value of the kinds that no other error causes.
  var detail = Detail.none

  enum Detail: Hashable, Sendable {
    case none
    case reason(String)
    case size(PixelSize)
    case systemError(Int32)
    case status(Int)
    case byteLimit(Int)
    case stage(ImageStage)
  }

  init(_ kind: Kind, _ source: String, detail: Detail = .none, cause: (any Error)? = nil) {
    self.kind = kind
    self.source = source
    self.detail = detail
    self.cause = cause
  }
}

extension ImageError {
  /// Whether the request was cancelled.
  public var isCancellation: Bool { kind == .cancelled }

  /// Whether the failure may be for want of a network: no name, no connection, or one that went silent or broke. A view
  /// loads such a picture again when the network returns (`DisplayOptions.restartsWithNetwork`).
  ///
  /// A host that refuses the connection, answers with an error or is slow is there, so this is false then, as it is for a
  /// certificate that is not accepted.
  public var isNetworkUnavailable: Bool {
    switch kind {
    case .nameNotResolved, .bodyTruncated: true
    case .timedOut, .transport:
      switch httpError?.reason {
      case .timedOut(.connect), .timedOut(.idle), .connectionFailed, .connectionLost: true
      default: false
      }
    default: false
    }
  }

  /// The error that caused this one; `nil` for the kinds that are not listed here.
  ///
  /// | Kinds | Type |
  /// |---|---|
  /// | `nameNotResolved`, `connectionRefused`, `timedOut`, `bodyTruncated`, `transport` | `HTTPError` |
  /// | `emptyData`, `notAnImage`, `unsupportedType`, `corruptData`, `truncatedData`, `regionOutside`, `limitExceeded`, `decoderFailed` | `ImageDecodingError` |
  /// | `processingFailed` | `ProcessingError` |
  /// | `encodingFailed` | `ImageEncodingError` |
  /// | `fetchFailed` | the error of the app |
  /// | `cancelled` | `CancellationError` |
  public var underlying: (any Error)? { kind == .cancelled ? CancellationError() : cause }

  /// The status of the answer; for the kind `httpStatus`.
  public var statusCode: Int? {
    if case .status(let code) = detail { code } else { nil }
  }

  /// The error number of the system, as in `errno`; for the kind `unreadableFile`. `nil` for a pipe, a socket or a device.
  public var systemErrorCode: Int32? {
    if case .systemError(let code) = detail { code } else { nil }
  }

  /// The most bytes that a file or body may have; for the kind `bodyTooLarge`.
  public var byteLimit: Int? {
    if case .byteLimit(let limit) = detail { limit } else { nil }
  }

  /// The part of the load that ran when the time was over; for the kind `deadlineExceeded`.
  public var stage: ImageStage? {
    if case .stage(let stage) = detail { stage } else { nil }
  }

  /// The size that cannot be made, for `invalidSize`; the size of the whole picture, for `regionOutside`.
  public var size: PixelSize? {
    if case .size(let size) = detail { return size }
    if case .regionOutside(_, let size)? = decodingError { return size }
    return nil
  }

  /// The requested part of the picture; for the kind `regionOutside`.
  public var region: PixelRectangle? {
    if case .regionOutside(let region, _)? = decodingError { region } else { nil }
  }

  /// The format of the file; for the kinds `unsupportedType`, `corruptData`, `truncatedData` and `decoderFailed`.
  public var imageType: ImageType? {
    switch decodingError {
    case .unsupportedType(let type, _), .corrupt(let type, _, _), .truncated(let type, _),
      .decoderFailed(let type, _):
      type
    default: nil
    }
  }

  /// The limit that the picture exceeds; for the kind `limitExceeded`.
  public var violation: DecodingLimits.Violation? {
    if case .limitExceeded(let violation)? = decodingError { violation } else { nil }
  }

  /// How the process of the decoder failed; for the kind `decoderFailed`.
  public var decoderFailure: DecoderFailure? {
    if case .decoderFailed(_, let failure)? = decodingError { failure } else { nil }
  }

  private var decodingError: ImageDecodingError? { cause as? ImageDecodingError }

  var httpError: HTTPError? { cause as? HTTPError }

  /// Whether the origin could not be reached, or the connection broke.
  package var isDisconnection: Bool { httpError?.isDisconnection ?? false }
}

extension ImageError: Equatable {
  /// Whether kinds, sources and details are equal, and the underlying errors have the same type and the same text. The
  /// underlying errors need not be `Equatable`.
  public static func == (left: ImageError, right: ImageError) -> Bool {
    guard left.kind == right.kind, left.source == right.source, left.detail == right.detail else {
      return false
    }
    switch (left.cause, right.cause) {
    case (nil, nil): return true
    case (let left?, let right?):
      return type(of: left) == type(of: right) && String(describing: left) == String(describing: right)
    default: return false
    }
  }
}

extension ImageError: DescribedError {
  /// One line: the source, then the explanation. Control characters are written as numbers, because the source may be the
  /// name of a file from another person.
  public var description: String { PrintableText.oneLine("\(source): \(explanation)") }
}

extension ImageError {
  /// The cause in words. Does not name the source.
  public var explanation: String {
    switch (kind, detail, cause) {
    case (_, .reason(let reason), _): return reason
    case (_, .size(let size), _):
      return "a size of \(size) cannot be made; both sides must be from 1 to \(ImageRequest.maximumSide)"
    case (_, .systemError(let code), _): return "the file cannot be read: \(systemMessage(code))"
    case (_, .status(let status), _): return "the server answered \(status)\(Self.phrase(status))"
    case (_, .byteLimit(let limit), _): return "more than the limit of \(limit) bytes"
    case (_, .stage(let stage), _):
      return stage == .total ? "not done in time" : "not done in time (stage: \(stage.rawValue))"
    case (.fetchFailed, .none, let error as CanvasError): return error.description
    case (.fetchFailed, .none, let error?): return "fetching failed: \(error.oneLine)"
    case (_, .none, let error as HTTPError): return error.message
    case (_, .none, let error?): return String(describing: error)
    case (.noSuchFile, .none, nil):
      // Foundation has put another character in place of such bytes, or does not read such escapes.
      let isOther =
        source.contains("\u{FFFD}") || (source.hasPrefix("file:") && source.percentDecoded == nil)
      return isOther ? "no such file, or its name is not UTF-8: rename it" : "no such file"
    case (.isDirectory, .none, nil): return "this is a folder, not a file"
    case (.notCached, .none, nil): return "not in the caches"
    case (.cancelled, .none, nil): return "cancelled"
    default: return kind.name
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

/// What a load does after an error.
extension ImageError {
  /// Whether the load ended because it was cancelled or its deadline passed, and not because of the source or the
  /// data.
  var isCancelledOrLate: Bool {
    kind == .cancelled || kind == .deadlineExceeded
  }

  /// Whether the file may be damaged, so that another copy of it may decode. False if the request is the cause: a region outside
  /// the picture, a limit, a step that fails. False also if no decoder could be started.
  var isOfFile: Bool {
    if case .unavailable? = decoderFailure { return false }
    return [
      .emptyData, .notAnImage, .unsupportedType, .corruptData, .truncatedData, .decoderFailed,
    ].contains(kind)
  }
}
