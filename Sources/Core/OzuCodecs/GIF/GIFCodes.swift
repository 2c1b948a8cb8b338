import OzuImaging

/// Decompresses the codes of one GIF image: LZW with codes of growing length, in blocks of up to 255 bytes
/// (GIF89a specification, appendix F).
///
/// Each code stands for the string of an earlier code plus one index. Each code keeps its length and the first eight indices of its
/// string, which are written as one word: most strings are not longer. A longer string already is among the indices, where the
/// earlier code was written, followed by the index: so each code also keeps its place, and is copied from there. A code that is not
/// defined yet ends the image.
///
/// Only `copy` and `write` use unsafe pointers, and they check their arguments.
enum GIFCodes {
  enum Ending {
    case whole
    case corrupt
    /// There are fewer indices than pixels.
    case short
  }

  private static let codeLimit = 4096
  /// The largest minimum size for which the first code, one bit longer, has at most 12 bits. The specification ends
  /// at 8. Larger sizes have codes above 255 that are no colours; they are cut to a byte, as other decoders do.
  private static let largestMinimum = 11
  private static let indicesPerCheckpoint = 1 << 20

  private static let wordByteCount = 8

  /// Decompresses to `count` indices, or as many as the file has.
  ///
  /// - Returns: the number of indices, and how the image ended.
  /// - Throws: `cancelled`, `limitExceeded`.
  static func read(
    _ bytes: Span<UInt8>, _ image: GIFFile.Image, to indices: inout ContiguousArray<UInt8>,
    _ context: DecodingContext
  ) throws(ImageDecodingError) -> (count: Int, ending: Ending) {
    let minimum = image.minimumCodeSize
    guard 1...largestMinimum ~= minimum else { return (0, .corrupt) }
    let clear = 1 << minimum
    let end = clear + 1
    let wanted = indices.count
    var written = 0
    var nextCheckpoint = indicesPerCheckpoint
    var codeSize = minimum + 1
    var nextCode = end + 1
    var previous = -1
    var previousPlace = 0

    var position = image.codes
    var blockRest = 0
    var bits: UInt64 = 0
    var bitCount = 0
    var output = indices.mutableSpan
    // Few bytes for each code, so that the tables stay in the nearest cache. An image has less than 2^32 indices.
    // The first place of each code's string (codes of single colours have none), and its length.
    var allPlaces = ContiguousArray<UInt32>(repeating: 0, count: codeLimit)
    var allLengths = ContiguousArray<UInt16>(repeating: 1, count: codeLimit)
    // The first eight indices of each code's string, the first in the lowest byte.
    var allBeginnings = ContiguousArray<UInt64>(repeating: 0, count: codeLimit)
    var places = allPlaces.mutableSpan
    var lengths = allLengths.mutableSpan
    var beginnings = allBeginnings.mutableSpan
    for code in 0..<clear { beginnings[code] = UInt64(code & 0xFF) }

    while written < wanted {
      // Reads many bytes at once if they are in one block.
      if bitCount < codeSize, blockRest >= 8, bytes.count - position >= 8 {
        let word = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
        bits |= UInt64(littleEndian: word) &<< UInt64(bitCount)
        let taken = (63 - bitCount) >> 3
        bitCount += taken * 8
        bits &= (1 &<< UInt64(bitCount)) &- 1
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
        bits |= UInt64(bytes[position]) &<< UInt64(bitCount)
        bitCount += 8
        position += 1
        blockRest -= 1
      }
      // A code has at most 12 bits, and there are at most 63: no shift is longer than a word.
      let code = Int(truncatingIfNeeded: bits) & ((1 &<< codeSize) &- 1)
      bits &>>= UInt64(codeSize)
      bitCount -= codeSize

      if code == clear {
        codeSize = minimum + 1
        nextCode = end + 1
        previous = -1
        continue
      }
      if code == end { return (written, .short) }
      guard previous >= 0 ? code <= nextCode : code < clear else { return (written, .corrupt) }

      if previous >= 0, nextCode < codeLimit {
        // The index after the previous string is the first one that is written now. A code may name the very string that it
        // completes, which begins with the previous string.
        let beginning = beginnings[previous]
        let last = (code == nextCode ? beginning : beginnings[code]) & 0xFF
        let length = lengths[previous]
        places[nextCode] = UInt32(truncatingIfNeeded: previousPlace)
        lengths[nextCode] = length + 1
        beginnings[nextCode] = length < wordByteCount ? beginning | last &<< (8 &* UInt64(length)) : beginning
        nextCode += 1
        if nextCode == 1 &<< codeSize, codeSize < 12 { codeSize += 1 }
      } else if code >= nextCode, previous >= 0 {
        return (written, .corrupt)
      }

      previousPlace = written
      let length = min(Int(lengths[code]), wanted - written)
      if length > wordByteCount {
        copy(from: Int(places[code]), count: length, to: written, in: &output)
      } else if wanted - written >= wordByteCount {
        // What is behind the string is written again by the next one.
        write(beginnings[code], to: written, in: &output)
      } else {
        for index in 0..<length {
          output[written + index] = UInt8(truncatingIfNeeded: beginnings[code] >> UInt64(8 * index))
        }
      }
      written += length
      previous = code
      if written >= nextCheckpoint {
        nextCheckpoint += indicesPerCheckpoint
        try context.checkpoint()
      }
    }
    return (written, .whole)
  }

  /// Writes eight indices, the first of which is in the lowest byte.
  @inline(__always)
  private static func write(_ word: UInt64, to target: Int, in indices: inout MutableSpan<UInt8>) {
    precondition(target >= 0 && target <= indices.count - wordByteCount, "room for a word")
    indices.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: word.littleEndian, toByteOffset: target, as: UInt64.self)
    }
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
