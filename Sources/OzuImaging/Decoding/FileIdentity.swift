import OzuSynchronization

/// What tells the bytes of a file apart from those of others: made once for bytes that are decoded again and again, part by
/// part, and passed with them (`DecodingContext.file`).
package final class FileIdentity: Sendable {
  private let known: Mutex<UInt64?>

  /// - Parameter value: a number that others with the same bytes have too, such as a digest of what the system says of a
  ///   file; `nil` to find one when it is first asked for.
  package init(_ value: UInt64? = nil) {
    known = Mutex(value)
  }

  /// The number; made by the closure where nobody has yet. Threads that ask at the same time may each make it.
  package func value(_ make: () -> UInt64) -> UInt64 {
    if let value = known.withLock({ $0 }) { return value }
    let value = make()
    known.withLock { $0 = value }
    return value
  }
}
