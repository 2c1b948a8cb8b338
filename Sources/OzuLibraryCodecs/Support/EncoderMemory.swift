import CCodecs

/// The memory that encoders write files into. For tests.
package enum EncoderMemory {
  /// Runs a closure on this thread with buffers of encoders that cannot grow beyond so many bytes: as if memory were
  /// short.
  package static func withLimit<Result, Failure: Error>(
    _ byteCount: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ozu_bytes_set_limit(byteCount)
    defer { ozu_bytes_set_limit(Int(bitPattern: UInt.max)) }
    return try body()
  }
}
