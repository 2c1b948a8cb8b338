import OzuSynchronization

/// What guards one shard of a memory cache.
///
/// Writers hold `lock`, close the gate and wait until those who read are out. Readers take no lock: they count
/// themselves in and out, each processor in a cache line of its own (`ReaderTally`), and look between whether the
/// gate is closed. So two threads that read the same shard write to no line that the other reads, where a lock
/// would go back and forth between their processors at every hit. A reader that finds the gate closed waits at
/// `lock` and reads there.
///
/// Why no writer changes what a reader sees: a reader says which tally it uses, counts itself in and only then looks at
/// the gate; a writer closes the gate and only then looks which tallies are used and what they count. All these are
/// sequentially consistent, so one of the two sees the other. A reader counts itself out with a release that
/// the writer's look acquires.
@usableFromInline
struct ShardGate: ~Copyable, Sendable {
  @usableFromInline let lock = Mutex<Void>(())
  @usableFromInline let isClosed = Atomic<Bool>(false)
  /// A bit for each tally that a reader ever used; writers look at no others.
  @usableFromInline let used = Atomic<UInt32>(0)

  @inlinable
  init() {}
}

/// How many readers one processor has seen enter a shard, and how they left it. All counts only rise, except that who
/// finds the gate closed takes back that it entered: then nobody is inside when as many left as entered.
///
/// The counts of how they left are the cache's statistics, so that counting costs nothing.
@usableFromInline
struct ReaderTally: ~Copyable, Sendable {
  @usableFromInline let entered = Atomic<Int>(0)
  @usableFromInline let hits = Atomic<Int>(0)
  @usableFromInline let misses = Atomic<Int>(0)
  @usableFromInline let revivals = Atomic<Int>(0)
  /// Those who only asked whether there is a value.
  @usableFromInline let glances = Atomic<Int>(0)

  @inlinable
  init() {}

  /// Two cache lines, since processors fetch them in pairs.
  @inlinable @inline(__always)
  static var stride: Int { 128 }

  @inlinable @inline(__always)
  var isEmpty: Bool {
    let entered = entered.load(ordering: .sequentiallyConsistent)
    let left =
      hits.load(ordering: .acquiring) &+ misses.load(ordering: .acquiring)
      &+ revivals.load(ordering: .acquiring) &+ glances.load(ordering: .acquiring)
    return entered == left
  }
}
