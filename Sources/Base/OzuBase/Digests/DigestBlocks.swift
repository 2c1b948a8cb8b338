/// The blocks of a message as MD5 and the digests of the SHA family mix them: the message, a 1 bit, zeros, and the number of its
/// bits. The message itself is not copied.
struct DigestBlocks {
  /// The number of bytes of a block: 64, or 128 for SHA-512.
  let byteCount: Int
  /// Whether words begin with their most significant byte, as everywhere but in MD5.
  let isBigEndian: Bool

  /// Calls a closure with the whole blocks of a message, and then with the one or two blocks of its end.
  ///
  /// - Parameters:
  ///   - message: the bytes. They are copied once if they do not lie in one piece.
  ///   - preceding: the number of bytes before the message that were mixed already, as whole blocks.
  ///   - mix: gets at least one block, and no part of one.
  func forEach(
    of message: some Sequence<UInt8>, after preceding: Int = 0, _ mix: (UnsafeRawBufferPointer) -> Void
  ) {
    let isDone: Void? = message.withContiguousStorageIfAvailable {
      forEach(of: UnsafeRawBufferPointer($0), after: preceding, mix)
    }
    if isDone == nil { Array(message).withUnsafeBytes { forEach(of: $0, after: preceding, mix) } }
  }

  private func forEach(
    of message: UnsafeRawBufferPointer, after preceding: Int, _ mix: (UnsafeRawBufferPointer) -> Void
  ) {
    let wholeByteCount = message.count - message.count % byteCount
    if wholeByteCount > 0 { mix(UnsafeRawBufferPointer(rebasing: message[..<wholeByteCount])) }
    var end = Array(message[wholeByteCount...])
    end.append(0x80)
    // The number has an eighth of a block, of which the first half of the larger one is always 0.
    while end.count % byteCount != byteCount / 8 * 7 { end.append(0) }
    end += [UInt8](repeating: 0, count: byteCount / 8 - 8)
    let bitCount = UInt64(preceding + message.count) * 8
    withUnsafeBytes(of: isBigEndian ? bitCount.bigEndian : bitCount.littleEndian) { end += $0 }
    end.withUnsafeBytes(mix)
  }
}

/// A word of a block that begins with its most significant byte.
///
/// - Parameters:
///   - block: the first byte of a block, all of whose words can be read.
///   - place: the number of the word.
@inline(__always)
func bigEndianWord<Word: FixedWidthInteger>(of block: UnsafeRawPointer, at place: Int) -> Word {
  let byteCount = MemoryLayout<Word>.size
  return Word(bigEndian: block.loadUnaligned(fromByteOffset: byteCount * place, as: Word.self))
}

/// The bytes of words, the most significant of each first.
func bigEndianBytes<Word: FixedWidthInteger>(of words: [Word]) -> [UInt8] {
  words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
}

/// A word whose bits have moved to the left, those that leave it to its other end.
///
/// - Parameter count: from 1 to the number of bits less 1.
@inline(__always)
func rotatedLeft<Word: FixedWidthInteger>(_ word: Word, _ count: Word) -> Word {
  word &<< count | word &>> (Word(truncatingIfNeeded: Word.bitWidth) &- count)
}

/// A word whose bits have moved to the right, those that leave it to its other end.
///
/// - Parameter count: from 1 to the number of bits less 1.
@inline(__always)
func rotatedRight<Word: FixedWidthInteger>(_ word: Word, _ count: Word) -> Word {
  word &>> count | word &<< (Word(truncatingIfNeeded: Word.bitWidth) &- count)
}
