#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// When a failed exchange is tried again, and after how long.
///
/// Only what may pass by itself is tried again: connections that fail, break or cannot be made in time, and the statuses
/// 408, 429, 502, 503 and 504. An origin that was silent, slow or not done in the whole time is not: whoever waits has
/// waited for a limit already, and would for the same one again. What it sent is kept for the next request. The wait doubles each time and is spread at random, so that many clients of one
/// origin do not come back at once; where the origin names a time, that counts.
public struct HTTPRetryPolicy: Sendable, Hashable {
  /// How often an exchange is tried again. 2.
  public var maximumRetryCount = 2
  /// The wait before the first retry, at most; it doubles each time. 0.3 seconds.
  public var baseDelay = Duration.milliseconds(300)
  /// The longest wait. 10 seconds. An origin that asks for more is not tried again.
  public var maximumDelay = Duration.seconds(10)
  /// How many retries all exchanges together have in hand; each ten successes earn one back. 10.
  ///
  /// It keeps an origin in trouble from being asked thrice as often as a healthy one.
  public var budget = 10

  /// Makes the default policy.
  public init() {}

  /// The default policy.
  public static let standard = HTTPRetryPolicy()

  /// Nothing is tried again.
  public static let none: HTTPRetryPolicy = {
    var policy = HTTPRetryPolicy()
    policy.maximumRetryCount = 0
    return policy
  }()

  /// Whether a failure may pass by itself.
  public func isTransient(_ reason: HTTPError.Reason) -> Bool {
    switch reason {
    case .connectionRefused, .connectionFailed, .connectionLost, .timedOut(.connect), .bodyTruncated,
      .contentCodingTruncated, .proxyFailed:
      true
    default: false
    }
  }

  /// Whether a status may pass by itself.
  public func isTransient(status: Int) -> Bool {
    [408, 429, 502, 503, 504].contains(status)
  }

  /// How long to wait before a retry; nil when there is none.
  ///
  /// - Parameters:
  ///   - count: how many retries there have been.
  ///   - retryAfter: the response's `Retry-After` (RFC 9110 §10.2.3), seconds or a date.
  ///   - fraction: a random number from 0 to 1.
  public func delay(
    afterRetries count: Int, retryAfter: String? = nil, fraction: Double, now: Date
  ) -> Duration? {
    guard count < maximumRetryCount else { return nil }
    if let retryAfter {
      let seconds =
        DeltaSeconds.parse(retryAfter).map(Double.init)
        ?? HTTPDate.date(from: retryAfter, now: now)?.timeIntervalSince(now)
      if let seconds {
        let wait = Duration.seconds(max(0, seconds))
        return wait <= maximumDelay ? wait : nil
      }
    }
    let doubled = baseDelay * (1 << min(count, 16))
    return min(doubled, maximumDelay) * (0.5 + 0.5 * min(max(fraction, 0), 1))
  }
}
