import Ozu
import OzuBase
import OzuHTTP
import OzuImaging

/// An answer without a picture.
struct ServiceFailure: Error {
  /// The status of a request whose client has left, as nginx and imgproxy have it in their logs.
  static let hasLeft = 499
  static let notReading = ServiceFailure(
    status: 405, reason: "only GET and HEAD are answered", allowed: "GET, HEAD")

  let status: Int
  let reason: String
  /// The time that clients may keep the answer, in seconds; 0 for not at all.
  var lifetime = 0
  /// Whether no cache may answer with it after that, not even while this service is lost.
  var mustRevalidate = false
  /// The number of seconds after which a retry makes sense.
  var retryAfter: Int?
  var allowed: String?
  /// The required authentication scheme.
  var challenge: String?
}

extension ServiceFailure {
  /// Describes an error for the client. Details about the origin and its failure are only for the log.
  ///
  /// - Parameters:
  ///   - failureLifetime: the lifetime of an answer that would be the same again.
  ///   - delay: the number of seconds after which a retry makes sense where the service is the reason.
  init(_ error: ImageError, failureLifetime: Int, retryAfter delay: Int = 1) {
    switch error.kind {
    case .invalidSource, .invalidSize, .regionOutside:
      (status, reason) =
        (400, "the address of the source is not valid")
    case .noSuchFile, .isDirectory: (status, reason) = (404, "there is no such picture")
    case .httpStatus where error.statusCode == 404 || error.statusCode == 410:
      (status, reason) = (404, "there is no such picture")
      lifetime = failureLifetime
    case .httpStatus: (status, reason) = (502, "the origin answered \(error.statusCode ?? 0)")
    case .transport where (error.underlying as? HTTPError)?.isRefusal == true:
      (status, reason) = (403, "this source is not allowed")
    case .fetchFailed where error.underlying is SourceFlaw:
      (status, reason) = (422, error.underlying.map { "\($0)" } ?? "the source is not allowed")
      lifetime = failureLifetime
    case .fetchFailed where error.underlying is CanvasError:
      (status, reason) = (422, "the card cannot be drawn")
    case .unreadableFile where error.systemErrorCode == EMFILE || error.systemErrorCode == ENFILE:
      (status, reason) = (503, "the service has too many files open")
      retryAfter = delay
    case .unreadableFile, .nameNotResolved, .connectionRefused, .bodyTruncated, .transport, .fetchFailed:
      (status, reason) = (502, "the origin cannot be reached")
    case .timedOut, .deadlineExceeded: (status, reason) = (504, "it took too long")
    case .bodyTooLarge, .limitExceeded: (status, reason) = (422, "the picture is larger than allowed")
    case .emptyData, .notAnImage, .unsupportedType, .corruptData, .truncatedData:
      (status, reason) = (422, "the source is not a picture that can be read")
      lifetime = failureLifetime
    case .decoderFailed where error.lacksDecoder:
      (status, reason) = (503, "no decoder can be started")
      retryAfter = delay
    case .decoderFailed: (status, reason) = (422, "the source cannot be decoded")
    case .processingFailed: (status, reason) = (422, "the picture cannot be processed in this way")
    case .encodingFailed: (status, reason) = (422, "the picture cannot be written in this way")
    case .notCached: (status, reason) = (504, "the picture is in no cache")
    case .cancelled:
      (status, reason) = (503, "the service is busy")
      retryAfter = delay
    default: (status, reason) = (500, "the picture cannot be made")
    }
  }

  var response: ServiceResponse {
    let ending = mustRevalidate ? ", must-revalidate" : ""
    var headers: HTTPHeaders = [
      "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff",
      "Cache-Control": lifetime > 0 ? "public, max-age=\(lifetime)\(ending)" : "no-store",
    ]
    if let retryAfter { headers["Retry-After"] = "\(retryAfter)" }
    if let allowed { headers["Allow"] = allowed }
    if let challenge { headers["WWW-Authenticate"] = challenge }
    return ServiceResponse(status: status, headers: headers, body: Data("\(reason)\n".utf8))
  }
}

extension ImageError {
  /// Whether the decoder's process could not be started. The file is not the reason.
  fileprivate var lacksDecoder: Bool {
    if case .unavailable? = decoderFailure { true } else { false }
  }
}

extension HTTPError {
  /// Whether the rules forbid to ask the source.
  fileprivate var isRefusal: Bool {
    switch reason {
    case .hostNotAllowed, .addressRefused, .redirectRefused: true
    default: false
    }
  }
}

/// A source that is not what its address demands.
struct SourceFlaw: Error, CustomStringConvertible {
  /// What is wrong, in words for clients.
  let description: String
}

extension ImageError {
  static func flawed(_ source: ImageSource, _ flaw: String) -> ImageError {
    .fetchFailed(source.name, underlying: SourceFlaw(description: flaw))
  }
}

extension KnownPicture {
  /// What is demanded of the source: it may be too large for one recipe, and not for another, and what is no picture may be passed on.
  var demand: String {
    let passed = picture.isOriginal ? ["raw"] : picture.originalTypes.map(\.rawValue).sorted()
    return "\(key.key) \(picture.limits.segments) \(passed)"
  }
}

extension InformationFacts {
  var demand: String { "information \(self)" }
}

extension ImageSource {
  /// Whether it has to be fetched from another machine.
  var isRemote: Bool {
    url?.scheme.map { ["http", "https", "s3"].contains($0.lowercased()) } ?? false
  }
}
