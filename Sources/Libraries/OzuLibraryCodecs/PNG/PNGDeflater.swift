import CCodecs

/// Compresses bytes that come in pieces to a zlib stream.
///
/// Unsafe: C gets pointers to the piece and to `output` for the time of a call.
final class PNGDeflater {
  /// The library that compresses.
  enum Method {
    /// ISA-L: about ten times as fast as zlib at its usual level, and as good for data with few repetitions.
    case fast
    /// zlib at a level.
    case zlib(Int32)
  }

  /// Memory was short, or the library failed.
  struct Failure: Error {}

  private let deflater: OpaquePointer
  private let output: UnsafeMutableRawBufferPointer
  private var filledCount = 0

  /// - Parameters:
  ///   - isFiltered: whether the bytes are rows that were filtered.
  ///   - pieceByteCount: the bytes that `flush` receives at a time.
  init(_ method: Method, isFiltered: Bool, pieceByteCount: Int) throws(Failure) {
    let level: Int32 = if case .zlib(let level) = method { level } else { 0 }
    guard let deflater = ozu_deflater_new(level, isFiltered) else { throw Failure() }
    self.deflater = deflater
    output = .allocate(byteCount: pieceByteCount, alignment: 16)
  }

  deinit {
    ozu_deflater_free(deflater)
    output.deallocate()
  }

  /// Compresses bytes, and calls `flush` with each full piece of the stream.
  ///
  /// - Parameter isLast: whether the stream ends after them; then `flush` also receives the rest.
  func deflate(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool,
    flush: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var position = 0
    while true {
      var (used, written) = (0, 0)
      let status = ozu_deflater_step(
        deflater, bytes.baseAddress.map { ($0 + position).assumingMemoryBound(to: UInt8.self) },
        bytes.count - position, isLast, &used,
        output.baseAddress.map { ($0 + filledCount).assumingMemoryBound(to: UInt8.self) },
        output.count - filledCount, &written)
      position += used
      filledCount += written
      guard status == .done || status == .more else { throw Failure() }
      if filledCount == output.count || status == .done {
        try flush(UnsafeRawBufferPointer(rebasing: output[..<filledCount]))
        filledCount = 0
      }
      if status == .done { return }
      // Bytes that the library has kept back come out with the next call.
      if !isLast, position == bytes.count { return }
    }
  }
}
