import OzuHTTP

/// How urgent a request is. Of requests that wait for the same resource, the more urgent go first; equal ones
/// in the order in which they came. Work that several requests share has the priority of the most urgent.
public enum ImagePriority: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// Work nobody waits for.
  case veryLow
  /// Prefetching.
  case low
  /// The default.
  case normal
  /// What will be on screen next.
  case high
  /// What is on screen.
  case veryHigh

  /// By urgency, the lowest first.
  public static func < (a: ImagePriority, b: ImagePriority) -> Bool { a.rawValue < b.rawValue }

  /// The same level, in the transport's words.
  var transport: HTTPPriority {
    switch self {
    case .veryLow: .veryLow
    case .low: .low
    case .normal: .normal
    case .high: .high
    case .veryHigh: .veryHigh
    }
  }
}
