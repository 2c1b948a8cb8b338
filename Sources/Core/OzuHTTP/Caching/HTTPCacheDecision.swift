import OzuBase

/// The action of a cache for a request, and the reason.
public struct HTTPCacheDecision: Sendable, Hashable {
  /// The action that a cache takes.
  public enum Action: String, Sendable, Hashable {
    /// Serve the chosen response.
    case serve
    /// Serve the chosen response, and validate it in the background (RFC 5861 §3).
    case serveAndValidate
    /// Ask the origin whether the stored responses are still valid.
    case validate
    /// Request the whole response from the origin.
    case fetch
    /// Answer 504 without asking the origin (RFC 9111 §5.2.1.7).
    case refuse
    /// Send the request to the origin and do not touch the storage.
    case bypass
  }

  /// The action to take.
  public let action: Action
  /// The index of the chosen response among those that were given.
  public let choice: Int?
  /// Whether the chosen response is past its lifetime.
  public let isStale: Bool
  /// The reason in words, such as `fresh for 3h`.
  public let reason: String
}

/// The place that the answer to a request came from, and the reason.
public struct HTTPDecision: Sendable, Hashable {
  /// The place.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// From the origin.
    case network
    /// From the cache; it was fresh.
    case cache
    /// From the cache; it was stale, and the origin confirmed it.
    case revalidated
    /// From the cache; it was stale.
    case stale
  }

  /// The place that the answer came from.
  public let place: Place
  /// The reason in words, such as `stale for 2m, revalidated by ETag`.
  public let reason: String

  /// Makes a decision.
  public init(_ place: Place, reason: String) {
    self.place = place
    self.reason = reason
  }
}

extension HTTPDecision {
  /// A decision to serve something that is fresh for this many more seconds; stale if the number is negative.
  package static func fresh(forSeconds seconds: Double) -> HTTPDecision {
    seconds > 0
      ? HTTPDecision(.cache, reason: "fresh for \(HTTPDurationText.text(seconds))")
      : HTTPDecision(.stale, reason: "stale for \(HTTPDurationText.text(-seconds))")
  }
}

extension HTTPDecision: CustomStringConvertible {
  /// The place and the reason.
  public var description: String { "\(place.rawValue) (\(reason))" }
}

enum HTTPDurationText {
  /// A number of seconds in at most two units: `45s`, `2m`, `3h`, `2d 4h`.
  static func text(_ seconds: Double) -> String {
    guard seconds.isFinite else { return "an unknown time" }
    let whole = Int(clamping: min(max(0, seconds), 1e12))
    let units = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
    guard let first = units.firstIndex(where: { whole >= $0.1 }) else { return "0s" }
    let head = "\(whole / units[first].1)\(units[first].0)"
    guard first < 2 else { return head }
    let rest = whole % units[first].1 / units[first + 1].1
    return rest > 0 ? "\(head) \(rest)\(units[first + 1].0)" : head
  }
}
