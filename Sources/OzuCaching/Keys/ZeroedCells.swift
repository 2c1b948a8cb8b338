#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory for tables of 64-bit cells that are zero at first.
///
/// Large tables are mapped from the system, which gives a page when it is first touched: an allocator that has memory at
/// hand would fill a whole table with zeros at once, and one insertion would wait for that.
enum ZeroedCells {
  /// Tables of so many cells, 64 KB, or more are mapped.
  private static let leastMapped = 8192
  /// The cells whose memory is given back at a time: 512 KB. It takes some ten microseconds even for a page, since every
  /// processor has to hear of it, so it must not be done often; and some thirty for these.
  static let unit = 65_536

  /// Whether the memory of a table of so many cells can be given back in parts.
  static func isMapped(_ count: Int) -> Bool { count >= leastMapped }

  static func allocate(_ count: Int) -> UnsafeMutablePointer<UInt64> {
    let memory: UnsafeMutableRawPointer?
    if !isMapped(count) {
      memory = calloc(count, MemoryLayout<UInt64>.stride)
    } else {
      memory = mmap(nil, count * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | anonymous, -1, 0)
    }
    guard let memory, memory != MAP_FAILED else { fatalError("No memory for \(count) cells") }
    return memory.bindMemory(to: UInt64.self, capacity: count)
  }

  /// Frees a table of so many cells.
  static func free(_ cells: UnsafeMutablePointer<UInt64>, _ count: Int) {
    if !isMapped(count) { releaseSmall(cells) } else { munmap(cells, count * 8) }
  }

  /// Gives back the memory of `unit` cells of a larger table. They may be zero after, or what they were.
  static func giveBack(_ cells: UnsafeMutablePointer<UInt64>) {
    madvise(cells, unit * 8, MADV_DONTNEED)
  }

  private static func releaseSmall(_ cells: UnsafeMutablePointer<UInt64>) {
    #if canImport(Glibc)
      Glibc.free(cells)
    #else
      Darwin.free(cells)
    #endif
  }

  private static var anonymous: Int32 {
    #if canImport(Darwin)
      MAP_ANON
    #else
      Int32(MAP_ANONYMOUS)
    #endif
  }
}
