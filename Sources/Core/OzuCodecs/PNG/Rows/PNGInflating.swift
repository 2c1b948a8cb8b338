/// The functions of a compression library that a PNG needs: inflating a zlib stream piece by piece, and checksums.
/// A target with such a library implements it.
///
/// Each object belongs to one stream and to the thread that decodes it.
package protocol PNGInflating: AnyObject {
  /// Begins a stream; `nil` if there is not enough memory.
  init?()

  /// The CRC-32 of some bytes (W3C PNG, third edition, §5.5).
  static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32

  /// The Adler-32 of bytes (RFC 1950, 8.2) that follow others, whose sum is `sum`; 1 if there are none.
  static func checksum(of bytes: UnsafeRawBufferPointer, after sum: UInt32) -> UInt32

  /// Inflates until the input is used up or the output is full.
  ///
  /// - Returns: the bytes taken from the input and written to the output; `hasEnded` if the stream has ended and its
  ///   checksum is right; `nil` if the stream is broken.
  func inflate(
    _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
  ) -> (used: Int, written: Int, hasEnded: Bool)?
}
