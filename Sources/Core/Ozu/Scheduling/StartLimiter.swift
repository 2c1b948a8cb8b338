/// A token bucket that delays starts during a storm of starts and cancellations.
///
/// A list that scrolls fast starts a download for each row it passes and cancels it a moment later: connections are
/// opened and closed for nothing. Each cancelled download therefore takes a token. While there are tokens, every
/// start is free, and a thousand loads that are not cancelled are never delayed. Without tokens, starts wait in the
/// queue and cost a token each; a start that is cancelled in the queue costs nothing. Tokens come back with time, and
/// one with each completed download, so that starts are fast again as soon as the storm is over.
///
/// A value; the caller passes the time. Its owner has the lock and the timer.
package struct StartLimiter: Sendable {
  /// The number of tokens that come back per second.
  let rate: Double
  /// The largest number of tokens.
  let burst: Double
  private var tokens: Double
  private var lastRefill: JobInstant?

  /// Makes a full bucket: 25 cancellations in a row are free, then 80 starts a second.
  package init(rate: Double = 80, burst: Double = 25) {
    self.rate = rate
    self.burst = burst
    tokens = burst
  }

  /// Whether a job may start without waiting.
  package mutating func isOpen(_ now: JobInstant) -> Bool {
    // Also when the bucket is full: time in which it is full must not add tokens later.
    refill(now)
    return tokens >= 1
  }

  /// Takes a token for a start that had to wait.
  package mutating func noteLateStart() { tokens -= 1 }

  /// Takes a token for a download that was cancelled before its end.
  package mutating func noteCancellation(_ now: JobInstant) {
    refill(now)
    tokens = max(0, tokens - 1)
  }

  /// Adds a token for a completed download.
  package mutating func noteCompletion() { tokens = min(burst, tokens + 1) }

  /// The time until the next token.
  package var delay: Duration { .seconds(max(0, 1 - tokens) / rate) }

  /// Called when the timer for `delay` fires. Adds a token even if the clock of a test has not advanced.
  package mutating func noteDelayHasPassed(_ now: JobInstant) {
    refill(now)
    tokens = max(1, tokens)
  }

  private mutating func refill(_ now: JobInstant) {
    if let lastRefill {
      let (seconds, attoseconds) = lastRefill.duration(to: now).components
      let elapsed = Double(seconds) + Double(attoseconds) * 1e-18
      tokens = min(burst, tokens + max(0, elapsed) * rate)
    }
    lastRefill = now
  }
}
