import OzuBase

/// When a failed exchange is retried, and after how long.
///
/// Only temporary failures are retried: connections that fail, break or take too long to be made, and the statuses
/// 408, 429, 502, 503 and 504. An exchange that reached the limit on silence, on speed or on the whole time is not
/// retried: the caller has already waited for a limit. The bytes that arrived are kept for the next request. The
/// wait doubles each time and is random, so that the clients of one origin do not retry at the same time. If the
/// origin names a time, that time is used.
public struct HTTPRetryPolicy: Sendable, Hashable {
  /// How often an exchange is retried. Default: 2.
  public var maximumRetryCount = 2
  /// The longest wait before the first retry; it doubles each time. Default: 0.3 seconds.
  public var baseDelay = Duration.milliseconds(300)
  /// The longest wait. If an origin asks for more, there is no retry. Default: 10 seconds.
  public var maximumDelay = Duration.seconds(10)
  /// The number of retries that all exchanges together may use; every ten successes add one. Default: 10.
  ///
  /// It prevents an origin in trouble from getting three times as many requests as a healthy one.
  public var budget = 10

  /// Makes the default policy.
  public init() {}

  /// The default policy.
  public static let standard = HTTPRetryPolicy()

  /// No retries.
  public static let none: HTTPRetryPolicy = {
    var policy = HTTPRetryPolicy()
    policy.maximumRetryCount = 0
    return policy
  }()

  /// Whether a failure is temporary.
  package func isTransient(_ reason: HTTPError.Reason) -> Bool {
    switch reason {
    case .connectionRefused, .connectionFailed, .connectionLost, .timedOut(.connect), .bodyTruncated,
      .contentCodingTruncated, .proxyFailed:
      true
    default: false
    }
  }

  /// Whether a status is temporary.
  package func isTransient(status: Int) -> Bool {
    [408, 429, 502, 503, 504].contains(status)
  }

  /// The wait before a retry; nil for no retry.
  ///
  /// - Parameters:
  ///   - count: the number of retries so far.
  ///   - retryAfter: the response's `Retry-After` (RFC 9110 §10.2.3), seconds or a date.
  ///   - fraction: a random number from 0 to 1.
  package func delay(
    afterRetries count: Int, retryAfter: String? = nil, fraction: Double, now: Date
  ) -> Duration? {
    guard count < maximumRetryCount else { return nil }
    if let retryAfter {
      let seconds =
        DeltaSeconds.parse(retryAfter).map(Double.init)
        ?? HTTPDate.date(from: retryAfter, now: now)?.timeIntervalSince(now)
      if let seconds {
        let wait = Duration.seconds(min(max(0, seconds), 1e9))
        return wait <= maximumDelay ? wait : nil
      }
    }
    let doubled = baseDelay * (1 << min(count, 16))
    return min(doubled, maximumDelay) * (0.5 + 0.5 * min(max(fraction, 0), 1))
  }
}
