/// The part of a PNG that takes a compression library: a zlib stream, inflated piece by piece, and the checksum of
/// chunks. A target that has such a library supplies it.
///
/// One object belongs to one stream and to the thread that decodes it.
package protocol PNGInflating: AnyObject {
  /// Begins a stream; `nil` when memory is short.
  init?()

  /// The CRC-32 of some bytes (W3C PNG, third edition, §5.5).
  static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32

  /// Inflates until the input is used up or the output is full.
  ///
  /// - Returns: the bytes taken from the input and written to the output; `hasEnded` when the stream is over and its
  ///   checksum is right; `nil` for a stream that is broken.
  func inflate(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
  ) -> (used: Int, written: Int, hasEnded: Bool)?
}
