import OzuHTTP
import OzuText

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
    case (.fetchFailed, .none, let error?): return "fetching failed: \(error.oneLine)"
    case (_, .none, let error as HTTPError): return error.message
    case (_, .none, let error?): return String(describing: error)
    case (.noSuchFile, .none, nil): return "no such file"
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
