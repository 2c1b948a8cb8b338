import OzuSynchronization

/// Recycles pixel memory, so that decoding does not pay the system for fresh pages each time.
///
/// A fresh 48 MB block costs more in page faults than a resample of it. Blocks come in size classes of a
/// quarter of a power of two (at most 25 % larger than asked for) and wait in the pool for the next picture
/// of their class, up to `retainedByteLimit` in all; beyond that the system gets back those of the class that
/// was not used for longest, so that what is shown now is recycled and not what was shown an hour ago.
///
/// Blocks of 4 MB and more are laid out for huge pages where the system gives them: Linux, by `madvise`.
///
/// - Complexity: O(1) to take and to give back, one short lock each; O(classes) when blocks must make room.
public final class PixelBufferPool: Sendable {
  /// The pool that is used where none is named. Retains 64 MB.
  public static let shared = PixelBufferPool(retainedByteLimit: 64 << 20)

  /// A look at what the pool holds and lends.
  public struct Statistics: Hashable, Sendable {
    /// Bytes on loan now.
    public var lentByteCount = 0
    /// The most bytes that were on loan at one time since the last `resetPeak()`.
    public var peakLentByteCount = 0
    /// Bytes that wait for reuse.
    public var retainedByteCount = 0
    /// How many blocks came from the pool instead of the system.
    public var reuseCount = 0
  }

  private struct State {
    var classes: [Int: IdleClass] = [:]
    var clock = 0
    var statistics = Statistics()
  }

  /// An idle block. `@unchecked Sendable`: nobody else has its address while it is in the pool.
  private struct FreeBlock: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
  }

  /// The idle blocks of one size, and when one was last taken or given back.
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

  /// What the pool holds and lends now.
  public var statistics: Statistics { state.withLock { $0.statistics } }

  /// Starts a new measurement of `peakLentByteCount`.
  public func resetPeak() {
    state.withLock { $0.statistics.peakLentByteCount = $0.statistics.lentByteCount }
  }

  /// Gives all idle memory back to the system.
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

  /// Takes a block back.
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

  /// Takes out blocks, those of the class that was not used for longest first, until no more than `limit`
  /// bytes are idle.
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

  /// The smallest class that holds `byteCount`: 4 KiB, then four steps to each doubling.
  static func sizeClass(_ byteCount: Int) -> Int {
    let minimum = 4096
    guard byteCount > minimum else { return minimum }
    let step = 1 << (Int.bitWidth - (byteCount - 1).leadingZeroBitCount - 3)
    return (byteCount + step - 1) & ~(step - 1)
  }
}
