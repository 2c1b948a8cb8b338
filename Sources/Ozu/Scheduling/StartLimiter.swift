/// Decides whether a storm of starts and cancellations is on, in which starts have to wait.
///
/// A list that is thrown across the screen starts a download for each row it passes and cancels it a moment
/// later: connections are opened and torn down for nothing. So cancelled downloads are counted against a bucket
/// of tokens. While it is not empty every start is free, and a load of a thousand pictures that nobody cancels is
/// never held up. When it is empty, starts wait in line and cost a token each; those that are cancelled in the line
/// have cost nobody anything. Tokens come back with time, and one with each download that is completed, so
/// that the line moves faster as soon as the storm is over.
///
/// A value with the clock handed in; whoever owns it has the lock and the timer.
package struct StartLimiter: Sendable {
  /// Tokens that come back in a second.
  let rate: Double
  /// The most tokens.
  let burst: Double
  private var tokens: Double
  private var lastRefill: JobInstant?

  /// Makes a full bucket: 25 cancellations in a row are free, then 80 starts a second.
  package init(rate: Double = 80, burst: Double = 25) {
    self.rate = rate
    self.burst = burst
    tokens = burst
  }

  /// Whether a start need not wait.
  package mutating func isOpen(_ now: JobInstant) -> Bool {
    // Also when it is full: the time that it is full brings no tokens afterwards.
    refill(now)
    return tokens >= 1
  }

  /// Takes the token of a start that had waited.
  package mutating func noteLateStart() { tokens -= 1 }

  /// Counts a download that was cancelled before it was complete.
  package mutating func noteCancellation(_ now: JobInstant) {
    refill(now)
    tokens = max(0, tokens - 1)
  }

  /// Gives a token for a download that came to its end.
  package mutating func noteCompletion() { tokens = min(burst, tokens + 1) }

  /// How long until there is a token.
  package var delay: Duration { .seconds(max(0, 1 - tokens) / rate) }

  /// The time `delay` said has passed, whatever a clock says that a test holds still.
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
