/// Copies from before the output to it.
///
/// A distance shorter than a copy repeats a pattern. A processor that loads bytes just after it has stored them in other pieces
/// waits; so the pattern is loaded once and stored again and again.
///
/// Unsafe pointers. Why every index is in bounds: the caller has `distance` bytes, at least one, before the target. Loads begin
/// there and take up to 32 bytes, and up to 32 bytes after the last one of the copy are written: `InflateStream` has that room.
extension InflateStream {
  @inline(__always)
  static func copy(to target: UnsafeMutableRawPointer, distance: Int, length: Int) {
    typealias Chunk = SIMD16<UInt8>
    var to = target
    let end = to + length
    if distance >= 32 {
      repeat {
        let from = UnsafeRawPointer(to - distance)
        let first = from.loadUnaligned(as: Chunk.self)
        let second = from.loadUnaligned(fromByteOffset: 16, as: Chunk.self)
        to.storeBytes(of: first, as: Chunk.self)
        to.storeBytes(of: second, toByteOffset: 16, as: Chunk.self)
        to += 32
      } while to < end
    } else if distance >= 16 {
      // Two vectors that overlap are the pattern.
      let from = UnsafeRawPointer(to - distance)
      let first = from.loadUnaligned(as: Chunk.self)
      let last = from.loadUnaligned(fromByteOffset: distance &- 16, as: Chunk.self)
      repeat {
        to.storeBytes(of: first, as: Chunk.self)
        to.storeBytes(of: last, toByteOffset: distance &- 16, as: Chunk.self)
        to += distance
      } while to < end
    } else if distance >= 8 {
      let from = UnsafeRawPointer(to - distance)
      let first = from.loadUnaligned(as: UInt64.self)
      let last = from.loadUnaligned(fromByteOffset: distance &- 8, as: UInt64.self)
      repeat {
        to.storeBytes(of: first, as: UInt64.self)
        to.storeBytes(of: last, toByteOffset: distance &- 8, as: UInt64.self)
        to += distance
      } while to < end
    } else {
      let (chunk, step) = repeated(UnsafeRawPointer(to - distance), distance)
      repeat {
        to.storeBytes(of: chunk, as: SIMD2<UInt64>.self)
        to += step
      } while to < end
    }
  }

  /// Sixteen bytes of a pattern of one to seven, and how many of them are whole patterns.
  @inline(__always)
  private static func repeated(_ pattern: UnsafeRawPointer, _ distance: Int) -> (SIMD2<UInt64>, Int) {
    let shift = UInt64(truncatingIfNeeded: 8 &* distance)
    var low = UInt64(littleEndian: pattern.loadUnaligned(as: UInt64.self)) & (1 &<< shift &- 1)
    low |= low << shift
    low |= low << (2 &* shift)
    low |= low << (4 &* shift)
    // The upper half begins `phase` bytes into the pattern: the lower half without its first bytes, and after them its bytes
    // from the start of a pattern. Where both have bytes, they are the same.
    let whole = 8 / distance &* distance
    let phase = 8 &- whole
    let high =
      low &>> UInt64(truncatingIfNeeded: 8 &* phase) | low
      << UInt64(truncatingIfNeeded: 8 &* (whole &- phase))
    return (SIMD2(low.littleEndian, high.littleEndian), 16 / distance &* distance)
  }
}
