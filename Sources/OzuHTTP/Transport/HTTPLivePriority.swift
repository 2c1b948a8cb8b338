/// A priority that may change while a request waits for its turn.
///
/// ```swift
/// request.livePriority = HTTPLivePriority(row)  // the row says how near it is to the screen
/// ```
///
/// A client looks at it when the request comes and after each change, and moves the request among those that wait. One
/// that has started is not touched. Equal are those of one source.
public struct HTTPLivePriority: Sendable, Hashable {
  /// What says the priority.
  public let source: any HTTPPrioritySource

  /// Makes a priority that follows a source.
  public init(_ source: any HTTPPrioritySource) {
    self.source = source
  }

  /// The priority now.
  public var value: HTTPPriority { source.transportPriority }

  /// Whether both follow one source.
  public static func == (a: HTTPLivePriority, b: HTTPLivePriority) -> Bool {
    a.source === b.source
  }

  /// Hashes the source's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(source))
  }
}

/// Says a priority that changes, and tells of it.
public protocol HTTPPrioritySource: AnyObject, Sendable {
  /// The priority now.
  var transportPriority: HTTPPriority { get }

  /// Has a closure called after each change, from any thread and under no lock, until it is removed. Returns its number.
  func observe(_ observer: @escaping @Sendable () -> Void) -> Int

  /// Ends an observation.
  func removeObserver(_ id: Int)
}
