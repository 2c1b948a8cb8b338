/// An error of a store. No request fails because of it: the store counts as having no entry.
public struct ImageStoreError: Error, Sendable {
  /// The operations that can fail.
  public enum Operation: String, Hashable, Sendable {
    /// Reading an entry.
    case read
    /// Writing or changing an entry.
    case write
    /// Removing entries.
    case remove
    /// Listing entries.
    case list
    /// Writing entries to permanent storage.
    case flush
  }

  /// The name of the store.
  public let level: String
  /// The operation that failed.
  public let operation: Operation
  /// The error that the store threw; `nil` if the operation was dropped because too many operations waited for the
  /// store, or because it took too long.
  public let underlying: (any Error)?
}

extension ImageStoreError: CustomStringConvertible {
  /// One line such as `write SharedFolder: No space left on device`.
  public var description: String {
    "\(operation.rawValue) \(level): \(underlying.map { "\($0)" } ?? "too many operations wait for it")"
  }
}
