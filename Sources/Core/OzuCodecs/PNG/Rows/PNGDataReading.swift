import OzuImaging

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

/// The inflated image data of a PNG, a piece at a time: `LibraryInflateStream` or `InflateStream`.
protocol PNGDataReading: AnyObject {
  /// The next bytes, and `PNGUnfilter.margin` bytes after them that may be read; valid until the next call. `nil` at the end of the
  /// stream, or if it is broken.
  func read(_ count: Int) -> UnsafePointer<UInt8>?

  /// Whether the stream ends here, with the right checksum.
  func endsWell() -> Bool
}

extension InflateStream: PNGDataReading {}

/// Image data that a library inflates.
///
/// A class, because it owns a stream of the library and memory; it stays on the thread that decodes. Unsafe pointers: the file must
/// outlive the stream; the block has room for the most bytes that are read at once and the margin after them.
final class LibraryInflateStream: PNGDataReading {
  private let stream: any PNGInflating
  private var input: UnsafeRawBufferPointer
  private var chunks: PNGChunkReader
  private var hasEnded = false
  private let block: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool

  /// Begins a stream; `nil` if there is not enough memory.
  init?(
    _ first: UnsafeRawBufferPointer, _ chunks: PNGChunkReader, pieceByteCount: Int, pool: PixelBufferPool,
    library: any PNGInflating.Type
  ) {
    guard let stream = library.init() else { return nil }
    self.stream = stream
    self.chunks = chunks
    self.pool = pool
    input = first
    block = pool.takeBlock(byteCount: pieceByteCount + PNGUnfilter.margin)
    // Margins must be written before they are read.
    block.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    pool.giveBack(block)
  }

  func read(_ wanted: Int) -> UnsafePointer<UInt8>? {
    precondition(wanted <= block.count - PNGUnfilter.margin, "no more bytes than announced")
    let start = block.baseAddress!.assumingMemoryBound(to: UInt8.self)
    var count = 0
    while count < wanted {
      let written = inflate(to: start + count, capacity: wanted - count)
      guard written > 0 else { return nil }
      count += written
    }
    return UnsafePointer(start)
  }

  func endsWell() -> Bool {
    var byte: UInt8 = 0
    while !hasEnded {
      guard inflate(to: &byte, capacity: 1) == 0 else { return false }
    }
    return true
  }

  /// Inflates until there is output. Returns the number of bytes: 0 at the end of the stream, -1 if the stream is broken or
  /// incomplete.
  private func inflate(to output: UnsafeMutablePointer<UInt8>, capacity: Int) -> Int {
    while !hasEnded {
      let target = UnsafeMutableRawBufferPointer(start: output, count: capacity)
      guard let (used, written, isLast) = stream.inflate(input, to: target) else { return -1 }
      input = UnsafeRawBufferPointer(rebasing: input[used...])
      hasEnded = isLast
      if written > 0 { return written }
      // Without progress the library needs more input: it holds some bits and bytes back.
      if used == 0, !hasEnded {
        guard input.isEmpty, let more = chunks.nextImageData() else { return -1 }
        input = more
      }
    }
    return 0
  }
}
