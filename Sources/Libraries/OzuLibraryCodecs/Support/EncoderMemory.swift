import CCodecs

/// The memory that encoders write files to. For tests.
package enum EncoderMemory {
  /// Runs a closure on this thread. Buffers of encoders cannot grow beyond `byteCount`, as if memory were short.
  package static func withLimit<Result, Failure: Error>(
    _ byteCount: Int, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ozu_bytes_set_limit(byteCount)
    defer { ozu_bytes_set_limit(Int(bitPattern: UInt.max)) }
    return try body()
  }
}
