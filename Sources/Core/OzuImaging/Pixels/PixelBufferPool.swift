import OzuBase

/// Reuses pixel memory, so that not every decode takes fresh pages from the system.
///
/// The page faults of a fresh 48 MB block cost more than a resample of it. Blocks have size classes of a quarter of
/// a power of two (at most 25 % larger than asked for). Idle blocks stay in the pool for the next picture of their
/// class, up to `retainedByteLimit` in total. Beyond that, the blocks of the class that was unused for longest are
/// freed, so that the sizes in use now are reused and not those of an hour ago.
///
/// Blocks of 4 MB and more use huge pages if the system has them: on Linux, by `madvise`.
///
/// - Complexity: O(1) for taking and giving back, with one short lock each; O(classes) if blocks must be freed.
public final class PixelBufferPool: Sendable {
  /// The pool that is used by default. Retains 64 MB.
  public static let shared = PixelBufferPool(retainedByteLimit: 64 << 20)

  /// The state of the pool at one moment.
  public struct Statistics: Hashable, Sendable {
    /// Bytes that are lent now.
    public var lentByteCount = 0
    /// The most bytes that were lent at one time since the last `resetPeak()`.
    public var peakLentByteCount = 0
    /// Idle bytes that can be reused.
    public var retainedByteCount = 0
    /// How many blocks came from the pool instead of the system.
    public var reuseCount = 0
  }

  private struct State {
    var classes: [Int: IdleClass] = [:]
    var clock = 0
    var statistics = Statistics()
  }

  /// An idle block. `@unchecked Sendable`: nothing else has its address while it is in the pool.
  private struct FreeBlock: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
  }

  /// The idle blocks of one size, and when this size was last used.
  private struct IdleClass {
    var blocks: [FreeBlock] = []
    var lastUse = 0
  }

  private let state = Mutex(State())
  private let retainedByteLimit: Int

  /// Makes a pool that keeps at most `retainedByteLimit` idle bytes.
  public init(retainedByteLimit: Int) {
    self.retainedByteLimit = retainedByteLimit
  }

  deinit {
    releaseIdle()
  }

  /// The state of the pool now.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Starts a new measurement of `peakLentByteCount`.
  public func resetPeak() {
    state.withLock { $0.statistics.peakLentByteCount = $0.statistics.lentByteCount }
  }

  /// Frees all idle memory.
  public func releaseIdle() {
    let idle = state.withLock { state in
      defer {
        state.classes.removeAll()
        state.statistics.retainedByteCount = 0
      }
      return state.classes.values.flatMap(\.blocks)
    }
    for block in idle { block.memory.deallocate() }
  }

  /// A block of at least `byteCount` bytes, aligned to a cache line. Its contents are undefined.
  package func takeBlock(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    let size = Self.sizeClass(byteCount)
    let recycled = state.withLock { state -> FreeBlock? in
      state.statistics.lentByteCount += size
      state.statistics.peakLentByteCount = max(
        state.statistics.peakLentByteCount, state.statistics.lentByteCount)
      state.clock += 1
      state.classes[size]?.lastUse = state.clock
      guard let block = state.classes[size]?.blocks.popLast() else { return nil }
      state.statistics.retainedByteCount -= size
      state.statistics.reuseCount += 1
      return block
    }
    return recycled?.memory ?? HugePages.allocate(byteCount: size)
  }

  package func giveBack(_ memory: UnsafeMutableRawBufferPointer) {
    let block = FreeBlock(memory: memory)
    let size = memory.count
    let surplus = state.withLock { state -> [FreeBlock] in
      state.statistics.lentByteCount -= size
      guard size <= retainedByteLimit else { return [block] }
      let evicted = Self.makeRoom(retainedByteLimit - size, in: &state)
      state.clock += 1
      state.classes[size, default: IdleClass()].blocks.append(block)
      state.classes[size]?.lastUse = state.clock
      state.statistics.retainedByteCount += size
      return evicted
    }
    for block in surplus { block.memory.deallocate() }
  }

  /// Removes blocks until at most `limit` bytes are idle; begins with the class that was unused for longest.
  private static func makeRoom(_ limit: Int, in state: inout State) -> [FreeBlock] {
    var evicted: [FreeBlock] = []
    while state.statistics.retainedByteCount > limit {
      guard let oldest = state.classes.min(by: { $0.value.lastUse < $1.value.lastUse }) else { break }
      guard let block = state.classes[oldest.key]?.blocks.popLast() else {
        state.classes[oldest.key] = nil
        continue
      }
      state.statistics.retainedByteCount -= oldest.key
      evicted.append(block)
    }
    return evicted
  }

  /// The smallest class that holds `byteCount`: 512 bytes, then four steps to each doubling.
  static func sizeClass(_ byteCount: Int) -> Int {
    let minimum = 512
    guard byteCount > minimum else { return minimum }
    let step = 1 << (Int.bitWidth - (byteCount - 1).leadingZeroBitCount - 3)
    return (byteCount + step - 1) & ~(step - 1)
  }
}

/// Allocates memory for pixels in pages of 2 MB if the block is large enough: a fresh picture then costs a few
/// dozen page faults instead of ten thousand, which are a third of a full decode.
private enum HugePages {
  /// Blocks of at least this size use huge pages.
  static let threshold = 4 << 20
  private static let pageByteCount = 2 << 20
  private static let cacheLine = 64

  /// Allocates a block; free it with `deallocate()`.
  static func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    guard byteCount >= threshold else { return .allocate(byteCount: byteCount, alignment: cacheLine) }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: pageByteCount)
    #if canImport(Glibc)
      // Only the whole pages of the block. A system without huge pages returns an error, which is ignored.
      _ = madvise(block.baseAddress, byteCount & ~(pageByteCount - 1), MADV_HUGEPAGE)
    #endif
    return block
  }
}
