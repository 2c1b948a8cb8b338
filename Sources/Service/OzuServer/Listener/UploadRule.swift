import OzuHTTP

/// Decides which request with a body a listener accepts: POST with a length, to one path.
///
/// Everything is decided by the head: a body that is too large, or whose sender may not upload, is refused before
/// any byte of it is stored.
public struct UploadRule: Sendable {
  /// The path.
  public let path: String
  /// The most bytes of a body.
  public let maximumByteCount: Int
  /// The most bytes of all bodies together that are being received.
  public let maximumTotalByteCount: Int
  /// The time limit for a body.
  public let limit: Duration
  /// The number of seconds in the `Retry-After` of the 503 for more bytes than that. Default: 1.
  public var retryAfter = 1
  /// Returns the answer to a head that is refused; `nil` accepts it. Called on the listener's thread, so it must
  /// not block.
  private let refuse: @Sendable (ServiceRequest) -> ServiceResponse?

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - path: the one path, such as `/playground/uploads`.
  ///   - maximumByteCount: the most bytes of a body.
  ///   - maximumTotalByteCount: the most bytes of all bodies together that are being received.
  ///   - limit: the time limit for a body. Default: one minute.
  ///   - refuse: returns the answer to a head that is refused; `nil` accepts it. It must not block.
  public init(
    path: String, maximumByteCount: Int, maximumTotalByteCount: Int, limit: Duration = .seconds(60),
    refuse: @escaping @Sendable (ServiceRequest) -> ServiceResponse?
  ) {
    self.path = path
    self.maximumByteCount = maximumByteCount
    self.maximumTotalByteCount = maximumTotalByteCount
    self.limit = limit
    self.refuse = refuse
  }

  /// The length in a head, which must consist of digits.
  func bodyByteCount(_ headers: HTTPHeaders) throws(HeadRefusal) -> Int {
    let lengths = headers.values(for: "Content-Length")
    guard let length = lengths.first else {
      throw HeadRefusal(status: 411, reason: "the length of the body must be stated")
    }
    guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformed("Content-Length is malformed")
    }
    guard length.utf8.count <= 12, let count = Int(length), count <= maximumByteCount else {
      throw HeadRefusal(status: 413, reason: "a body has at most \(maximumByteCount) bytes here")
    }
    guard count > 0 else { throw .malformed("the body is empty") }
    return count
  }

  /// - Parameter others: the bytes of all bodies that are already being received.
  func refusal(of request: ServiceRequest, _ byteCount: Int, beside others: Int) -> ServiceResponse? {
    if let refusal = refuse(request) { return refusal }
    guard others + byteCount <= maximumTotalByteCount else {
      return ServiceFailure(
        status: 503, reason: "too many bytes are being uploaded", retryAfter: retryAfter
      ).response
    }
    return nil
  }
}
