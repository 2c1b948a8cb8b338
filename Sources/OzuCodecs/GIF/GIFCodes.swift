import OzuImaging

/// Decompresses the codes of one GIF image: LZW with codes of growing length, in blocks of up to 255 bytes
/// (GIF89a specification, appendix F).
///
/// Each code stands for the string of an earlier one and one index more. A string is written from its end, since
/// what a code knows is its prefix; its length is known, so the place of its end is. Every access is checked, and
/// a code that was not made yet ends the image.
struct GIFCodes {
  /// How an image ended.
  enum Ending {
    case whole
    /// Codes that make no sense.
    case corrupt
    /// Fewer indices than pixels.
    case short
  }

  private static let codeLimit = 4096
  /// The largest minimum whose first code, a bit longer, has at most 12 bits. The specification ends at 8: codes of
  /// larger ones that stand for no colour are cut to a byte, as other decoders do.
  private static let largestMinimum = 11
  private static let indicesPerCheckpoint = 1 << 20

  private var prefixes = [UInt16](repeating: 0, count: codeLimit)
  private var suffixes = [UInt8](repeating: 0, count: codeLimit)
  private var firsts = [UInt8](repeating: 0, count: codeLimit)
  private var lengths = [UInt16](repeating: 0, count: codeLimit)

  /// Decompresses to `count` indices, or as many as there are.
  ///
  /// - Returns: how many there were, and how it ended.
  /// - Throws: `cancelled`, `limitExceeded`.
  mutating func read(
    _ bytes: Span<UInt8>, _ image: GIFFile.Image, to indices: inout [UInt8], _ context: DecodingContext
  ) throws(DecodingError) -> (count: Int, ending: Ending) {
    let minimum = image.minimumCodeSize
    guard 1...Self.largestMinimum ~= minimum else { return (0, .corrupt) }
    let clear = 1 << minimum
    let end = clear + 1
    for code in 0..<clear {
      suffixes[code] = UInt8(truncatingIfNeeded: code)
      firsts[code] = UInt8(truncatingIfNeeded: code)
      lengths[code] = 1
    }
    let wanted = indices.count
    var written = 0
    var nextCheckpoint = Self.indicesPerCheckpoint
    var codeSize = minimum + 1
    var nextCode = end + 1
    var previous = -1

    var position = image.codes
    var blockRest = 0
    var bits: UInt64 = 0
    var bitCount = 0
    var output = indices.mutableSpan

    while written < wanted {
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
        prefixes[nextCode] = UInt16(previous)
        // A code may name the very string that it completes: it ends as it begins.
        suffixes[nextCode] = firsts[code == nextCode ? previous : code]
        firsts[nextCode] = firsts[previous]
        lengths[nextCode] = lengths[previous] &+ 1
        nextCode += 1
        if nextCode == 1 << codeSize, codeSize < 12 { codeSize += 1 }
      } else if code >= nextCode, previous >= 0 {
        return (written, .corrupt)
      }

      let length = Int(lengths[code])
      var place = written + length - 1
      var string = code
      while place >= written {
        if place < wanted { output[place] = suffixes[string] }
        string = Int(prefixes[string])
        place -= 1
      }
      written = min(written + length, wanted)
      previous = code
      if written >= nextCheckpoint {
        nextCheckpoint += Self.indicesPerCheckpoint
        try context.checkpoint()
      }
    }
    return (written, .whole)
  }
}
