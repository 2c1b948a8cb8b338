import OzuBase

/// Finds the data between the sizes and line ends of a chunked body (RFC 9112 §7.1), and refuses what is malformed.
///
/// libcurl reads the chunks too, because it has to know where the answer ends. But its error for a malformed chunk is the
/// one of a broken connection, and a broken connection is worth another try. So it hands the chunks over as they
/// came, before it reads them, and this is at least as strict as any of its versions.
package struct ChunkedBody {
  /// The most digits of a size, leading zeros included, and the most bytes of a line of trailers: the limits of libcurl.
  private static let maximumDigitCount = 16
  private static let maximumTrailerByteCount = 4000
  /// The most bytes of all trailers.
  private static let maximumTrailersByteCount = ResponseHeadParser.maximumByteCount

  private enum Step {
    case size(digitCount: Int)
    /// The rest of the line of a size, which has no meaning.
    case chunkExtension
    case data
    case lineEndOfData
    case lineFeedOfData
    case trailer(byteCount: Int)
    case lineFeedOfTrailer(byteCount: Int)
    case ended
  }

  private var step = Step.size(digitCount: 0)
  private var size: UInt64 = 0
  /// The number of bytes of the chunk that have not come yet.
  private var missingByteCount = 0
  private var trailersByteCount = 0

  package init() {}

  /// Whether the last chunk and the trailers have come.
  package var isEnded: Bool {
    if case .ended = step { true } else { false }
  }

  /// Reads up to the next data.
  ///
  /// - Parameter offset: the number of bytes that were read; it stays before the data, for `take`.
  /// - Returns: where the data are, or nil if there are no more in these bytes.
  package mutating func nextData(
    in bytes: UnsafeRawBufferPointer, from offset: inout Int
  ) throws(HTTPError) -> Range<Int>? {
    while offset < bytes.count {
      switch step {
      case .data: return offset..<offset + min(missingByteCount, bytes.count - offset)
      // The connection closes behind the answer, or has bytes of nobody.
      case .ended: offset = bytes.count
      default:
        try read(bytes[offset])
        offset += 1
      }
    }
    return nil
  }

  /// Notes that data were used.
  package mutating func take(_ byteCount: Int) {
    missingByteCount -= byteCount
    if missingByteCount == 0 { step = .lineEndOfData }
  }

  private mutating func read(_ byte: UInt8) throws(HTTPError) {
    let isLineFeed = byte == 0x0A
    switch step {
    case .size(let digitCount):
      guard let digit = PercentEncoding.digit(byte) else {
        guard digitCount > 0 else { throw Self.malformed("the size of a chunk is not a number") }
        if isLineFeed { try beginChunk() } else { step = .chunkExtension }
        return
      }
      guard digitCount < Self.maximumDigitCount else {
        throw Self.malformed("the size of a chunk has more than \(Self.maximumDigitCount) digits")
      }
      size = size << 4 | UInt64(digit)
      step = .size(digitCount: digitCount + 1)
    case .chunkExtension:
      if isLineFeed { try beginChunk() }
    case .lineEndOfData where byte == 0x0D:
      step = .lineFeedOfData
    case .lineEndOfData, .lineFeedOfData:
      guard isLineFeed else { throw Self.malformed("a chunk is longer than its size") }
      (step, size) = (.size(digitCount: 0), 0)
    case .trailer(let byteCount) where byte == 0x0D:
      step = .lineFeedOfTrailer(byteCount: byteCount)
    case .trailer(let byteCount) where !isLineFeed:
      trailersByteCount += 1
      guard byteCount < Self.maximumTrailerByteCount, trailersByteCount <= Self.maximumTrailersByteCount
      else {
        throw Self.malformed("the trailers are too long")
      }
      step = .trailer(byteCount: byteCount + 1)
    case .trailer(let byteCount), .lineFeedOfTrailer(let byteCount):
      guard isLineFeed else { throw Self.malformed("a carriage return stands alone in the trailers") }
      step = byteCount == 0 ? .ended : .trailer(byteCount: 0)
    case .data, .ended:
      break
    }
  }

  private mutating func beginChunk() throws(HTTPError) {
    guard let count = Int(exactly: size) else { throw Self.malformed("the size of a chunk is too large") }
    missingByteCount = count
    step = count == 0 ? .trailer(byteCount: 0) : .data
  }

  private static func malformed(_ what: String) -> HTTPError {
    HTTPError(.protocolError(what))
  }
}
