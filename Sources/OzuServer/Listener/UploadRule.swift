import OzuHTTP

/// Which request with a body a listener takes: POST of a length that is said first, to one path.
///
/// Everything about a body is decided by its head: one that is too large, or whose sender may not upload, is refused before a
/// byte of it is kept.
public struct UploadRule: Sendable {
  /// The path.
  public let path: String
  /// The bytes that a body may have.
  public let maximumByteCount: Int
  /// The bytes that all bodies that are being received may have together.
  public let maximumTotalByteCount: Int
  /// How long a body may take.
  public let limit: Duration
  /// Says why a head is refused; `nil` for one that is not. Called on the listener's thread, so it must not wait.
  private let refuse: @Sendable (ServiceRequest) -> ServiceResponse?

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - path: the one path, such as `/playground/uploads`.
  ///   - maximumByteCount: the bytes that a body may have.
  ///   - maximumTotalByteCount: the bytes that all bodies that are being received may have together.
  ///   - limit: how long a body may take. A minute by default.
  ///   - refuse: says why a head is refused; `nil` for one that is not. It must not wait.
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

  /// The length that a head says, in digits alone.
  ///
  /// - Throws: `HeadRefusal`.
  func bodyByteCount(_ headers: HTTPHeaders) throws(HeadRefusal) -> Int {
    let lengths = headers.values(for: "Content-Length")
    guard let length = lengths.first else {
      throw HeadRefusal(status: 411, reason: "the length of the body must be said")
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

  /// - Parameter others: the bytes of the bodies that are being received already.
  func refusal(of request: ServiceRequest, _ byteCount: Int, beside others: Int) -> ServiceResponse? {
    if let refusal = refuse(request) { return refusal }
    guard others + byteCount <= maximumTotalByteCount else {
      return ServiceFailure(status: 503, reason: "too much is being uploaded", retryAfter: 1).response
    }
    return nil
  }
}
