/// A trouble with a level of storage. No request fails for it: the level counts as having nothing.
public struct ImageStoreError: Error, Sendable {
  /// What was tried.
  public enum Operation: String, Hashable, Sendable {
    /// Reading an entry.
    case read
    /// Writing or changing an entry.
    case write
    /// Removing entries.
    case remove
    /// Listing entries.
    case list
    /// Making entries outlast the process.
    case flush
  }

  /// The name of the level.
  public let level: String
  /// What was tried.
  public let operation: Operation
  /// What the level threw; `nil` when too much waited for the level, and this was given up.
  public let underlying: (any Error)?
}

extension ImageStoreError: CustomStringConvertible {
  /// One line such as `write SharedFolder: No space left on device`.
  public var description: String {
    "\(operation.rawValue) \(level): \(underlying.map { "\($0)" } ?? "too much waits for it")"
  }
}
