import OzuBase
import OzuHTTP

/// Remembers for a while which sources have failed for good, so that repeated requests do not burden an origin that
/// has already refused. A failure counts for requests with the same address and the same header fields.
///
/// Entries expire. An answer 404 or 410 counts as long as HTTP allows. Other lasting failures count 10 seconds at
/// first, and twice as long each time they occur again, 5 minutes at most. Failures that may pass by themselves are
/// not remembered. One lock guards the table.
///
/// Some sources fail only a certain demand: they have too many pixels for one recipe and not for another. Callers who know the
/// demand remember these for it alone, beside the failures for all demands.
///
/// - Complexity: O(1); O(count) when the table is full, and to forget a source.
final class FailureMemory: Sendable {
  private struct Failure {
    let source: CacheKey
    let error: ImageError
    let cause: Cause
    let until: Date
    let count: Int
  }

  /// The parts of a request that its origin sees. Other requests may have the same key: those with an own key, or with other header fields.
  private struct Cause: Equatable {
    let source: String
    let headers: HTTPHeaders
    let acceptance: ImageAcceptance?

    init(_ request: ImageRequest) {
      acceptance = request.acceptance
      switch request.source {
      case .request(let sent): (source, headers) = (sent.url.absoluteString, sent.headers)
      case let other: (source, headers) = (other.key, [:])
      }
    }
  }

  private static let countLimit = 1024
  private static let firstLifetime = 10.0
  private static let longestLifetime = 300.0

  private let failures = Mutex<[CacheKey: Failure]>([:])

  /// Whether no failure is remembered.
  var isEmpty: Bool { failures.withLock { $0.isEmpty } }

  /// The remembered failure of an earlier request that was the same for the origin; nil if there is none or it has expired.
  ///
  /// - Parameter demand: what is demanded of the source; nil for a failure of all demands.
  func failure(of request: ImageRequest, for demand: String? = nil, now: Date) -> ImageError? {
    let key = Self.key(request, demand)
    let failure = failures.withLock { $0[key] }
    guard let failure, now < failure.until, failure.cause == Cause(request) else { return nil }
    return failure.error
  }

  /// Remembers a failure if it is lasting, or if the caller says so by naming the demand that failed.
  ///
  /// - Parameter date: the time until which the origin's answer is fresh; nil if there was no answer.
  func note(
    _ error: ImageError, of request: ImageRequest, for demand: String? = nil, freshUntil date: Date?,
    now: Date
  ) {
    guard demand != nil || error.isLasting else { return }
    let (key, cause) = (Self.key(request, demand), Cause(request))
    failures.withLock { failures in
      let count = (failures[key].flatMap { $0.cause == cause ? $0.count : nil } ?? 0) + 1
      let doubled = min(Self.longestLifetime, Self.firstLifetime * Double(1 << min(count - 1, 10)))
      let until = date ?? now.addingTimeInterval(doubled)
      if failures.count >= Self.countLimit, failures[key] == nil {
        failures = failures.filter { now < $0.value.until }
        if failures.count >= Self.countLimit,
          let oldest = failures.min(by: { $0.value.until < $1.value.until })
        {
          failures[oldest.key] = nil
        }
      }
      failures[key] = Failure(
        source: request.key.source, error: error, cause: cause, until: until, count: count)
    }
  }

  private static func key(_ request: ImageRequest, _ demand: String?) -> CacheKey {
    demand.map { request.key.source.derived($0) } ?? request.key.source
  }

  /// Forgets a source that was removed, for all demands.
  func forget(_ source: CacheKey) {
    failures.withLock { failures in failures = failures.filter { $0.value.source != source } }
  }

  /// Forgets the failure of a source that the origin has sent now; after a reload, also that of a file that did not decode.
  func noteSuccess(of request: ImageRequest) {
    failures.withLock { failures in
      guard let failure = failures[request.key.source] else { return }
      if request.cachePolicy == .reload || failure.error.kind == .httpStatus {
        failures[request.key.source] = nil
      }
    }
  }

  /// Forgets all failures.
  func forgetAll() {
    failures.withLock { $0.removeAll() }
  }
}

extension ImageError {
  /// Whether another request soon would fail in the same way.
  fileprivate var isLasting: Bool {
    switch kind {
    case .httpStatus:
      statusCode.map { (400..<500).contains($0) && $0 != 408 && $0 != 429 } ?? false
    // Not a format without a decoder: its package may be installed, or a decoder registered, at any time.
    case .notAnImage, .corruptData, .bodyTooLarge, .emptyData: true
    case .decoderFailed:
      // No fault of the file: the next process may start.
      if case .unavailable? = decoderFailure { false } else { true }
    default: false
    }
  }
}
