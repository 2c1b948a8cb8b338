import Foundation
import OzuSynchronization

/// Remembers for a while which sources have failed for good, so that repeated requests do not burden an origin that
/// has already refused.
///
/// Entries expire. An answer 404 or 410 counts as long as HTTP allows. Other lasting failures count 10 seconds at
/// first, and twice as long each time they occur again, 5 minutes at most. Failures that may pass by themselves are
/// not remembered. One lock guards the table.
///
/// - Complexity: O(1); O(count) when the table is full.
final class FailureMemory: Sendable {
  private struct Failure {
    let error: ImageError
    let until: Date
    let count: Int
  }

  private static let countLimit = 1024
  private static let firstLifetime = 10.0
  private static let longestLifetime = 300.0

  private let failures = Mutex<[CacheKey: Failure]>([:])

  /// Whether no failure is remembered.
  var isEmpty: Bool { failures.withLock { $0.isEmpty } }

  /// The remembered failure of a source; nil if there is none or it has expired.
  func failure(for key: CacheKey, now: Date) -> ImageError? {
    failures.withLock { failures in
      guard let failure = failures[key], now < failure.until else { return nil }
      return failure.error
    }
  }

  /// Remembers a failure if it is lasting.
  ///
  /// - Parameter date: the time until which the origin's answer is fresh; nil if there was no answer.
  func note(_ error: ImageError, for key: CacheKey, freshUntil date: Date?, now: Date) {
    guard error.isLasting else { return }
    failures.withLock { failures in
      let count = (failures[key]?.count ?? 0) + 1
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
      failures[key] = Failure(error: error, until: until, count: count)
    }
  }

  /// Forgets a source that has succeeded or was removed.
  func forget(_ key: CacheKey) {
    failures.withLock { _ = $0.removeValue(forKey: key) }
  }

  /// Forgets the failure of a source that was reloaded with success.
  func forgetIfReloaded(_ request: ImageRequest) {
    if request.cachePolicy == .reload { forget(request.key.source) }
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
