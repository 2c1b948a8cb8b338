#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a cache does with a request, and why.
public struct HTTPCacheDecision: Sendable, Hashable {
  /// What to do.
  public enum Action: String, Sendable, Hashable {
    /// Serve the chosen response.
    case serve
    /// Serve the chosen response, and validate it behind the caller's back (RFC 5861 §3).
    case serveAndValidate
    /// Ask the origin whether what is stored still holds.
    case validate
    /// Ask the origin for the whole.
    case fetch
    /// Answer 504 without asking anybody (RFC 9111 §5.2.1.7).
    case refuse
    /// Send the request on and leave what is stored alone.
    case bypass
  }

  /// What to do.
  public let action: Action
  /// Which of the stored responses it is about: an index into those that were given.
  public let choice: Int?
  /// Whether the chosen response is past its lifetime.
  public let isStale: Bool
  /// In words, such as `fresh for 3h`.
  public let reason: String
}

/// Where the answer to a request came from, and why from there.
public struct HTTPDecision: Sendable, Hashable {
  /// The place.
  public enum Place: String, Sendable, Hashable, CaseIterable {
    /// The origin sent it.
    case network
    /// The cache had it, fresh.
    case cache
    /// The cache had it, and the origin said that it still holds.
    case revalidated
    /// The cache had it, past its lifetime.
    case stale
  }

  /// Where the answer came from.
  public let place: Place
  /// In words, such as `stale for 2m, revalidated by ETag`.
  public let reason: String

  /// Makes a decision.
  public init(_ place: Place, reason: String) {
    self.place = place
    self.reason = reason
  }
}

extension HTTPDecision {
  /// What something that is fresh for so many more seconds is served for; negative numbers make it stale.
  public static func fresh(forSeconds seconds: Double) -> HTTPDecision {
    seconds > 0
      ? HTTPDecision(.cache, reason: "fresh for \(HTTPDurationText.text(seconds))")
      : HTTPDecision(.stale, reason: "stale for \(HTTPDurationText.text(-seconds))")
  }
}

extension HTTPDecision: CustomStringConvertible {
  /// Place and reason.
  public var description: String { "\(place.rawValue) (\(reason))" }
}

enum HTTPDurationText {
  /// A number of seconds in at most two units: `45s`, `2m`, `3h`, `2d 4h`.
  static func text(_ seconds: Double) -> String {
    let whole = Int(min(max(0, seconds), 1e12))
    let units = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
    guard let first = units.firstIndex(where: { whole >= $0.1 }) else { return "0s" }
    let head = "\(whole / units[first].1)\(units[first].0)"
    guard first < 2 else { return head }
    let rest = whole % units[first].1 / units[first + 1].1
    return rest > 0 ? "\(head) \(rest)\(units[first + 1].0)" : head
  }
}
