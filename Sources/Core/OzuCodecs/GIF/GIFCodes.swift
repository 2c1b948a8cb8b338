import OzuImaging

/// Decompresses the codes of one GIF image: LZW with codes of growing length, in blocks of up to 255 bytes
/// (GIF89a specification, appendix F).
///
/// Each code stands for the string of an earlier code plus one index. That string already is among the indices,
/// where the earlier code was written, followed by the index: so each code stores its place and its length, and is
/// copied from there. A code that is not defined yet ends the image.
///
/// Only `copy` uses unsafe pointers, and it checks its arguments.
struct GIFCodes {
  /// How an image ended.
  enum Ending {
    case whole
    /// A code is invalid.
    case corrupt
    /// There are fewer indices than pixels.
    case short
  }

  private static let codeLimit = 4096
  /// The largest minimum size for which the first code, one bit longer, has at most 12 bits. The specification ends
  /// at 8. Larger sizes have codes above 255 that are no colours; they are cut to a byte, as other decoders do.
  private static let largestMinimum = 11
  private static let indicesPerCheckpoint = 1 << 20

  /// The first place of each code's string, and its length; codes of single colours have no place.
  private var places = [Int](repeating: 0, count: codeLimit)
  private var lengths = [Int](repeating: 1, count: codeLimit)

  /// Decompresses to `count` indices, or as many as the file has.
  ///
  /// - Returns: the number of indices, and how the image ended.
  /// - Throws: `cancelled`, `limitExceeded`.
  mutating func read(
    _ bytes: Span<UInt8>, _ image: GIFFile.Image, to indices: inout ContiguousArray<UInt8>,
    _ context: DecodingContext
  ) throws(ImageDecodingError) -> (count: Int, ending: Ending) {
    let minimum = image.minimumCodeSize
    guard 1...Self.largestMinimum ~= minimum else { return (0, .corrupt) }
    let clear = 1 << minimum
    let end = clear + 1
    let wanted = indices.count
    var written = 0
    var nextCheckpoint = Self.indicesPerCheckpoint
    var codeSize = minimum + 1
    var nextCode = end + 1
    var previous = -1
    var previousPlace = 0

    var position = image.codes
    var blockRest = 0
    var bits: UInt64 = 0
    var bitCount = 0
    var output = indices.mutableSpan

    while written < wanted {
      // Reads many bytes at once if they are in one block.
      if bitCount < codeSize, blockRest >= 8, bytes.count - position >= 8 {
        let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
        bits |= UInt64(littleEndian: word) << UInt64(bitCount)
        let taken = (63 - bitCount) >> 3
        bitCount += taken * 8
        bits &= (1 << UInt64(bitCount)) - 1
        position += taken
        blockRest -= taken
      }
      while bitCount < codeSize {
        if blockRest == 0 {
          guard let byteCount = bytes.byte(at: position), byteCount > 0 else { return (written, .short) }
          blockRest = Int(byteCount)
          position += 1
        }
        guard position < bytes.count else { return (written, .short) }
        bits |= UInt64(bytes[position]) << UInt64(bitCount)
        bitCount += 8
        position += 1
        blockRest -= 1
      }
      let code = Int(truncatingIfNeeded: bits) & ((1 << codeSize) - 1)
      bits >>= UInt64(codeSize)
      bitCount -= codeSize

      if code == clear {
        codeSize = minimum + 1
        nextCode = end + 1
        previous = -1
        continue
      }
      if code == end { return (written, .short) }
      guard previous >= 0 ? code <= nextCode : code < clear else { return (written, .corrupt) }

      if previous >= 0, nextCode < Self.codeLimit {
        // The index after the previous string is the first one that is written now. A code may name the very string
        // that it completes: its last index is then copied from an index that the same copy has written.
        places[nextCode] = previousPlace
        lengths[nextCode] = previous < clear ? 2 : lengths[previous] + 1
        nextCode += 1
        if nextCode == 1 << codeSize, codeSize < 12 { codeSize += 1 }
      } else if code >= nextCode, previous >= 0 {
        return (written, .corrupt)
      }

      previousPlace = written
      if code < clear {
        output[written] = UInt8(truncatingIfNeeded: code)
        written += 1
      } else {
        let length = min(lengths[code], wanted - written)
        Self.copy(from: places[code], count: length, to: written, in: &output)
        written += length
      }
      previous = code
      if written >= nextCheckpoint {
        nextCheckpoint += Self.indicesPerCheckpoint
        try context.checkpoint()
      }
    }
    return (written, .whole)
  }

  /// Copies indices to the first free place, from the first to the last: source and target may overlap.
  @inline(__always)
  private static func copy(from place: Int, count: Int, to target: Int, in indices: inout MutableSpan<UInt8>)
  {
    precondition(
      place >= 0 && place < target && count >= 0 && count <= indices.count - target, "written before")
    indices.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      var copied = 0
      // Eight at a time if source and target are far enough apart. All places are below `target + count`, which is
      // in the span.
      if target - place >= 8 {
        while copied &+ 8 <= count {
          let word = start.loadUnaligned(fromByteOffset: place &+ copied, as: UInt64.self)
          start.storeBytes(of: word, toByteOffset: target &+ copied, as: UInt64.self)
          copied &+= 8
        }
      }
      while copied < count {
        let byte = start.load(fromByteOffset: place &+ copied, as: UInt8.self)
        start.storeBytes(of: byte, toByteOffset: target &+ copied, as: UInt8.self)
        copied &+= 1
      }
    }
  }
}
