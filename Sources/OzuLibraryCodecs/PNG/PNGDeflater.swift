import CCodecs

/// A zlib stream of bytes that are handed over in pieces.
///
/// Unsafe: C gets pointers to the piece and to `output` for the time of a call.
final class PNGDeflater {
  /// What deflates.
  enum Method {
    /// ISA-L: some ten times as fast as zlib at its usual level, and as good where little is repeated.
    case fast
    /// zlib at a level.
    case zlib(Int32)
  }

  /// Something that memory was too short for, or the library's failure.
  struct Failure: Error {}

  private let deflater: OpaquePointer
  private let output: UnsafeMutableRawBufferPointer
  private var filledCount = 0

  /// - Parameters:
  ///   - isFiltered: whether the bytes are rows that were filtered.
  ///   - pieceByteCount: the bytes that `flush` gets at a time.
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

  /// Deflates bytes, and calls `flush` with each full piece of the stream.
  ///
  /// - Parameter isLast: whether the stream ends behind them; then `flush` gets the rest too.
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
      // What the library has kept back comes with the next bytes.
      if !isLast, position == bytes.count { return }
    }
  }
}
