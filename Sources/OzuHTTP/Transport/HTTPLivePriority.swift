/// A priority that may change while a request waits for its turn.
///
/// ```swift
/// request.livePriority = HTTPLivePriority(row)  // the row says how near it is to the screen
/// ```
///
/// A client reads it when the request arrives and after each change, and moves the request among the waiting ones.
/// A request that has started is not affected. Two values are equal if they have the same source.
public struct HTTPLivePriority: Sendable, Hashable {
  /// The source of the priority.
  public let source: any HTTPPrioritySource

  /// Makes a priority that follows a source.
  public init(_ source: any HTTPPrioritySource) {
    self.source = source
  }

  /// The current priority.
  public var value: HTTPPriority { source.transportPriority }

  /// Whether both have the same source.
  public static func == (a: HTTPLivePriority, b: HTTPLivePriority) -> Bool {
    a.source === b.source
  }

  /// Hashes the source's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(source))
  }
}

/// A priority that changes and reports its changes.
public protocol HTTPPrioritySource: AnyObject, Sendable {
  /// The current priority.
  var transportPriority: HTTPPriority { get }

  /// Registers a closure that is called after each change, from any thread and under no lock, until it is removed.
  /// Returns its number.
  func observe(_ observer: @escaping @Sendable () -> Void) -> Int

  /// Removes an observer.
  func removeObserver(_ id: Int)
}
