import OzuBase

/// Identifies the bytes of a file in the caches of decoders. Made once for a file that is decoded several times,
/// part by part, and passed with it (`DecodingContext.file`).
package final class FileIdentity: Sendable {
  private let known: Mutex<UInt64?>

  /// - Parameter value: a number that depends on the bytes alone, or a digest of what the system says about the
  ///   file; `nil` to compute one at the first use.
  package init(_ value: UInt64? = nil) {
    known = Mutex(value)
  }

  /// The number; the first call computes it with the closure. Threads that call at the same time may each compute
  /// it.
  package func value(_ make: () -> UInt64) -> UInt64 {
    if let value = known.withLock({ $0 }) { return value }
    let value = make()
    known.withLock { $0 = value }
    return value
  }
}
