#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Compresses the indices of one GIF image: LZW with codes of growing length, in blocks of up to 255 bytes (GIF89a
/// specification, appendix F). `GIFCodes` reads them.
///
/// The table of strings is a hash table of pairs (code of the prefix, index). When it is full, it is cleared.
struct GIFCodeWriter {
  private static let codeLimit = 4096
  private static let slotCount = 1 << 14
  private static let empty = UInt32.max

  private let minimumCodeSize: Int
  /// A pair in the upper 20 bits, its code in the lower 12.
  private var slots = [UInt32](repeating: empty, count: slotCount)
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var block: [UInt8] = []

  /// - Parameter indexBitCount: from 1 to 8. The format has a minimum of two bits, and codes are one bit longer.
  init(indexBitCount: Int) {
    minimumCodeSize = max(2, indexBitCount)
    block.reserveCapacity(255)
  }

  /// Appends the minimum code size, the blocks, and the empty block at the end.
  mutating func write(_ indices: [UInt8], to file: inout Data) {
    file.append(UInt8(minimumCodeSize))
    let clear = 1 << minimumCodeSize
    let end = clear + 1
    var codeSize = minimumCodeSize + 1
    var nextCode = end + 1
    append(clear, codeSize, to: &file)
    var prefix = -1
    for index in indices {
      guard prefix >= 0 else {
        prefix = Int(index)
        continue
      }
      let pair = UInt32(prefix) << 8 | UInt32(index)
      var slot = Int((pair &* 0x9E37_79B1) >> 18)
      while slots[slot] != Self.empty, slots[slot] >> 12 != pair {
        slot = (slot + 1) & (Self.slotCount - 1)
      }
      if slots[slot] != Self.empty {
        prefix = Int(slots[slot] & 0xFFF)
        continue
      }
      append(prefix, codeSize, to: &file)
      prefix = Int(index)
      if nextCode < Self.codeLimit {
        slots[slot] = pair << 12 | UInt32(nextCode)
        // The reader defines the same code one step later, and reads longer codes from then on.
        if nextCode == 1 << codeSize { codeSize += 1 }
        nextCode += 1
      } else {
        append(clear, codeSize, to: &file)
        for slot in slots.indices { slots[slot] = Self.empty }
        codeSize = minimumCodeSize + 1
        nextCode = end + 1
      }
    }
    if prefix >= 0 {
      append(prefix, codeSize, to: &file)
      // The reader has defined a code for this string too.
      if nextCode == 1 << codeSize, codeSize < 12 { codeSize += 1 }
    }
    append(end, codeSize, to: &file)
    flush(to: &file)
  }

  private mutating func append(_ code: Int, _ codeSize: Int, to file: inout Data) {
    bits |= UInt64(code) << UInt64(bitCount)
    bitCount += codeSize
    while bitCount >= 8 {
      appendByte(to: &file)
      bitCount -= 8
    }
  }

  private mutating func appendByte(to file: inout Data) {
    block.append(UInt8(truncatingIfNeeded: bits))
    bits >>= 8
    guard block.count == 255 else { return }
    file.append(255)
    file.append(contentsOf: block)
    block.removeAll(keepingCapacity: true)
  }

  private mutating func flush(to file: inout Data) {
    if bitCount > 0 { appendByte(to: &file) }
    bitCount = 0
    if !block.isEmpty {
      file.append(UInt8(block.count))
      file.append(contentsOf: block)
      block.removeAll(keepingCapacity: true)
    }
    file.append(0)
  }
}
