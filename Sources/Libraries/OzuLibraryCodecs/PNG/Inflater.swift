import CCodecs
import OzuCodecs

/// Inflates with ISA-L on Linux, with zlib elsewhere.
package final class Inflater: PNGInflating {
  private let stream: OpaquePointer

  package init?() {
    guard let stream = ozu_inflater_new() else { return nil }
    self.stream = stream
  }

  deinit {
    ozu_inflater_free(stream)
  }

  package static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    ozu_crc32(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  package static func checksum(of bytes: UnsafeRawBufferPointer, after sum: UInt32) -> UInt32 {
    ozu_adler32(sum, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  package func inflate(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
  ) -> (used: Int, written: Int, hasEnded: Bool)? {
    var used = 0
    var written = 0
    let status = ozu_inflater_step(
      stream, input.baseAddress?.assumingMemoryBound(to: UInt8.self), input.count, &used,
      output.baseAddress?.assumingMemoryBound(to: UInt8.self), output.count, &written)
    return status == .failed ? nil : (used, written, status == .done)
  }
}
