/// The data of a block with codes.
///
/// Unsafe pointers. Why every index is in bounds: a round of the loop begins only if 32 bytes of input are left in the chunk. It
/// loads eight bytes up to three times, and moves on by no more than seven each time. For output see `InflateStream`, for the
/// tables `InflateTable`.
extension InflateStream {
  private typealias Table = InflateTable

  /// Goes on until there is output up to a place, or until the block ends; false if it is broken.
  func inflate(until limit: Int) -> Bool {
    while state == .codes, end < limit {
      // The second takes what is near the end of a chunk.
      guard inflateQuickly(until: limit) else { return false }
      guard state != .codes || end >= limit || inflateOne() else { return false }
    }
    return true
  }

  /// Takes one entry of the literals, and the copy that begins with it.
  private func inflateOne() -> Bool {
    guard let (entry, before) = takeEntry(of: literals) else { return false }
    if entry & Table.literalBits != 0 {
      window[end] = UInt8(truncatingIfNeeded: entry >> 16)
      window[end + 1] = UInt8(truncatingIfNeeded: entry >> 24)
      end += Int(entry >> 6 & 3)
      return true
    }
    guard entry & Table.endMark == 0 else {
      state = .header
      return true
    }
    guard let (place, rest) = takeEntry(of: distances) else { return false }
    let distance = Table.value(place, rest)
    guard distance <= end else { return false }
    let length = Table.value(entry, before)
    Self.copy(to: UnsafeMutableRawPointer(window + end), distance: distance, length: length)
    end += length
    return true
  }

  /// The entry of the next code, which is taken with its extra bits, and the bits as they were; `nil` if there is none.
  private func takeEntry(of table: InflateTable) -> (entry: InflateTable.Entry, bits: UInt64)? {
    fillBits()
    var entry = table.entry(bits)
    if entry & Table.secondMark != 0 {
      guard take(UInt64(entry & 0x3F)) != nil else { return nil }
      entry = table.second(entry, bits)
    }
    let before = bits
    guard entry & Table.faultMark == 0, take(UInt64(entry & 0x3F)) != nil else { return nil }
    return (entry, before)
  }

  /// Goes on as long as there is enough input in the chunk; false if the block is broken.
  private func inflateQuickly(until limit: Int) -> Bool {
    var (bits, bitCount, next) = (self.bits, self.bitCount, UnsafeRawPointer(self.next))
    let (lastInput, base) = (UnsafeRawPointer(inputEnd) - 32, UnsafeMutableRawPointer(window))
    var out = base + end
    let stop = base + limit
    let (literals, distances) = (self.literals, self.distances)
    guard next <= lastInput, out < stop else { return true }
    defer {
      (self.bits, self.bitCount, end) = (bits, bitCount, out - base)
      self.next = next.assumingMemoryBound(to: UInt8.self)
    }

    /// Has 56 bits or more.
    @inline(__always)
    func refill() {
      bits |= UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) &<< bitCount
      next += Int(truncatingIfNeeded: (63 &- bitCount) &>> 3)
      bitCount |= 56
    }
    @inline(__always)
    func literalEntry() -> Table.Entry { literals.entry(bits, width: Table.literalWidth) }
    @inline(__always)
    func drop(_ entry: Table.Entry) {
      // A shift takes the lowest six bits only.
      bits &>>= UInt64(truncatingIfNeeded: entry)
      bitCount &-= UInt64(truncatingIfNeeded: entry & 0x3F)
    }
    @inline(__always)
    func put(_ entry: Table.Entry) {
      out.storeBytes(of: UInt16(truncatingIfNeeded: entry >> 16).littleEndian, as: UInt16.self)
      out += Int(truncatingIfNeeded: entry >> 6 & 3)
    }

    refill()
    var entry = literalEntry()
    repeat {
      // Up to four entries with literals, each of at most 11 bits: the next entry is looked up before one is put.
      if entry & Table.literalBits != 0 {
        drop(entry)
        var following = literalEntry()
        put(entry)
        if following & Table.literalBits != 0 {
          drop(following)
          entry = literalEntry()
          put(following)
          if entry & Table.literalBits != 0 {
            drop(entry)
            following = literalEntry()
            put(entry)
            if following & Table.literalBits != 0 {
              drop(following)
              refill()
              entry = literalEntry()
              put(following)
              continue
            }
            entry = following
          }
        } else {
          entry = following
        }
      }
      // At least 23 bits are left: a code of a length and its extra bits have no more than 20.
      if entry & Table.marks != 0 {
        if entry & Table.secondMark != 0 {
          drop(entry)
          entry = literals.second(entry, bits)
          if entry & Table.literalBits != 0 {
            drop(entry)
            put(entry)
            refill()
            entry = literalEntry()
            continue
          }
        }
        guard entry & Table.faultMark == 0 else { return false }
        if entry & Table.endMark != 0 {
          drop(entry)
          state = .header
          return true
        }
      }
      let length = Table.value(entry, bits)
      drop(entry)
      refill()
      entry = distances.entry(bits, width: Table.distanceWidth)
      if entry & Table.secondMark != 0 {
        drop(entry)
        entry = distances.second(entry, bits)
      }
      guard entry & Table.faultMark == 0 else { return false }
      let distance = Table.value(entry, bits)
      drop(entry)
      refill()
      entry = literalEntry()
      guard distance <= out - base else { return false }
      Self.copy(to: out, distance: distance, length: length)
      out += length
    } while next <= lastInput && out < stop
    return true
  }
}

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
