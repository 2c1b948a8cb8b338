import OzuHTTP

/// The priority of a request. Of the requests that wait in the same queue, the more urgent ones start first, and
/// equal ones in the order in which they came. Work that several requests share has the highest of their priorities.
public enum ImagePriority: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// Background work.
  case veryLow
  /// Prefetching.
  case low
  /// The default.
  case normal
  /// Pictures that will soon be on screen.
  case high
  /// Pictures on screen.
  case veryHigh

  /// Orders by urgency, the lowest first.
  public static func < (a: ImagePriority, b: ImagePriority) -> Bool { a.rawValue < b.rawValue }

  /// The corresponding priority of the transport.
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
