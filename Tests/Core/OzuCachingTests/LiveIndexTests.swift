import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

@Suite("The index in memory and its lock")
struct LiveIndexTests {
  private final class Watched: Sendable {
    let indexes = Synchronization.Mutex<[LiveIndex]>([])
  }

  /// A writer and a reader of one directory, and the number of calls of the file system under the lock of an index.
  private final class Pair {
    var fixture = Fixture(capacity: 512 << 10)
    private(set) var caches: [DiskCache] = []
    let held = Counter()
    private let watched = Watched()

    init(_ durability: Durability) throws {
      fixture.durability = durability
      fixture.partitions = ["small": 40_000]
      fixture.maximumAge = 400
      let look: @Sendable () -> Void = { [held, watched] in
        let indexes = watched.indexes.withLock { $0 }
        if indexes.contains(where: { $0.withLockIfAvailable { _ in } == nil }) { held.add(1) }
      }
      fixture.files.respond = { _ in
        look()
        return .proceed
      }
      fixture.files.onStatus = look
      try open()
    }

    func open() throws {
      for cache in caches { cache.close() }
      watched.indexes.withLock { $0 = [] }
      caches = [try fixture.open(), try fixture.open()]
      watched.indexes.withLock { $0 = caches.map(\.store.index) }
    }
  }

  private func step(_ pair: Pair, _ random: inout SeededGenerator) throws {
    func draw(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    let cache = pair.caches[draw(0..<6) == 0 ? 1 : 0]
    let number = draw(0..<900)
    let partition: Partition = number % 5 == 0 ? "small" : "large"
    switch draw(0..<400) {
    case 0..<150:
      cache.store(
        body(number, count: draw(100..<900)), metadata: Data(count: draw(0..<3) * 20), forKey: key(number),
        in: partition)
    case 150..<170:
      cache.store(body(number, count: draw(34_000..<50_000)), forKey: key(number % 8), in: "long")
    case 170..<260: _ = cache.entry(forKey: key(number), in: partition)
    case 260..<300: _ = cache.entry(forKey: key(number % 8), in: "long")
    case 300..<320: cache.remove(forKey: key(number))
    case 320..<340: cache.updateMetadata(Data(count: draw(0..<80)), forKey: key(number), in: partition)
    case 340..<350: cache.touch(key(number), in: partition)
    case 350..<360: try cache.flush()
    case 360: try? cache.trim(toByteCount: draw(200_000..<500_000))
    case 361: try? cache.trim(olderThan: pair.fixture.clock.currentDate - 300)
    case 362: try? cache.removeAll(in: "small")
    case 363: _ = cache.entries(in: partition).prefix(3).map(\.key)
    case 364: #expect(cache.verify().corruptEntries.isEmpty)
    case 365: cache.setCapacity(draw(10_000..<60_000), of: "small")
    case 366: cache.setCapacity(draw(400_000..<500_000))
    case 367..<371: try pair.open()
    default: pair.fixture.clock.advance(by: .seconds(1))
    }
  }

  @Test(
    "no call of the file system is made under the lock of the index, for which fetches wait",
    arguments: 0..<3 as Range<UInt64>, [Durability.buffered, .synced])
  func filesWithoutLock(seed: UInt64, durability: Durability) throws {
    let pair = try Pair(durability)
    var random = SeededGenerator(seed: seed)
    var relocations = 0
    for _ in 0..<Cases.count(1500, of: 10_000) {
      try step(pair, &random)
      relocations = max(relocations, pair.caches[0].statistics.relocations)
      guard pair.held.value == 0 else { break }
    }
    #expect(pair.held.value == 0, "seed \(seed)")
    #expect(relocations > 0 && pair.fixture.errors.all.isEmpty, "seed \(seed)")
  }

  @Test(
    "removing a segment that has entries removes these and no others, also from pages that were not read yet")
  func removesSegments() throws {
    let fixture = Fixture(capacity: 1 << 20)
    var cache = try fixture.open()
    for number in 0..<1000 { cache.store(body(number, count: 300), forKey: key(number)) }
    cache.close()
    cache = try fixture.open()
    let index = cache.store.index
    let victims = index.withLock { index in index.segments.indices.filter { $0 % 2 == 1 } }
    let live = index.withLock { index in victims.map { index.segments[$0]?.live ?? 0 }.reduce(0, +) }
    let total = index.withLock { $0.liveByteCount }
    #expect(victims.count > 1 && live > 0)
    let removed = index.removeSegments(victims)
    #expect(cache.count == 1000 - removed)
    #expect(index.withLock { $0.liveByteCount } == total - live)
    #expect((0..<1000).count { cache.entry(forKey: key($0))?.body == body($0, count: 300) } == 1000 - removed)
    #expect(index.withLock { index in victims.allSatisfy { index.segments[$0] == nil } })
  }

  /// What another thread does while a page is read.
  enum Change: CaseIterable {
    case read, used, removed, moved, replaced
  }

  @Test(
    "a page that is read back does not replace one that was read and changed meanwhile, nor one of another index",
    arguments: Change.allCases)
  func readsBack(change: Change) throws {
    let (fixture, other) = (Fixture(capacity: 1 << 20), Fixture(capacity: 1 << 20))
    for (fixture, count) in [(fixture, 1000), (other, 2000)] {
      let cache = try fixture.open()
      for number in 0..<count { cache.store(body(number, count: 50), forKey: key(number)) }
      cache.close()
    }
    let cache = try fixture.open()
    let index = cache.store.index
    let isNested = Flag()
    // Its pages are not read yet either.
    let replacement = try other.open()
    fixture.files.respond = { call in
      guard call.operation == .read, call.path == Fixture.pages, !isNested.isSet else { return .proceed }
      isNested.set()
      if change == .replaced {
        index.replace(with: replacement.store.index.withLock { $0 })
        return .proceed
      }
      index.readPage(of: key(5), in: .default)
      index.withLock { index in
        guard let found = index.find(key(5), in: 0) else { return }
        switch change {
        case .read, .replaced: break
        case .used: index.touch(found, at: 7)
        case .removed: if let location = index.location(of: key(5), in: 0) { index.remove(location) }
        case .moved: index.relocate(found, to: 0, offset: 48, sequence: 9000)
        }
      }
      return .proceed
    }
    index.readPage(of: key(5), in: .default)
    fixture.files.respond = { _ in .proceed }
    #expect(isNested.isSet && !index.withLock { $0.isDamaged })
    index.readPage(of: key(5), in: .default)
    let found = index.withLock { $0.location(of: key(5), in: 0) }
    #expect((found == nil) == (change == .removed))
    withExtendedLifetime((cache, replacement)) {}
    #expect((found?.accessed == 7) == (change == .used) && (found?.sequence == 9000) == (change == .moved))
  }

  @Test("a page that changes while it is written is written again")
  func changesWhileWritten() throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    for number in 0..<40 { cache.store(body(number), forKey: key(number)) }
    let index = cache.store.index
    let isUsed = Flag()
    fixture.files.respond = { call in
      guard call.operation == .write, call.path == Fixture.pages, !isUsed.isSet else { return .proceed }
      isUsed.set()
      index.withLockIfAvailable { index in
        if let found = index.find(key(5), in: 0) { index.touch(found, at: 7) }
      }
      return .proceed
    }
    cache.store.write { cache.store.storeIndex(&$0, isClean: false) }
    #expect(isUsed.isSet && index.withLock { $0.pages.dirtyNumbers } == [0])
    cache.close()
    let reopened = try fixture.open()
    _ = reopened.contains(key(5))
    #expect(reopened.store.index.withLock { $0.location(of: key(5), in: 0)?.accessed } == 7)
  }

  @Test("a list has each entry once, although pages are split while it is made")
  func listsWhileGrowing() throws {
    let fixture = Fixture(capacity: 8 << 20)
    var cache = try fixture.open()
    for number in 0..<1000 { cache.store(body(number, count: 50), forKey: key(number)) }
    cache.close()
    cache = try fixture.open()
    let (pageCount, calls) = (cache.store.index.withLock { $0.pages.count }, Counter())
    fixture.files.respond = { [cache] _ in
      // The third page is being read; those before it are in the list.
      calls.add(1)
      guard calls.value == 3 else { return .proceed }
      for number in 1000..<5000 { cache.store(body(number, count: 50), forKey: key(number)) }
      return .proceed
    }
    let keys = cache.entries().map(\.key)
    fixture.files.respond = { _ in .proceed }
    #expect(cache.store.index.withLock { $0.pages.count } > pageCount && pageCount > 3)
    #expect(Set(keys).count == keys.count && Set(keys).isSuperset(of: (0..<1000).map { key($0) }))
  }

  @Test("pages that are built again have all entries, with the dates of their use")
  func rebuildsPages() throws {
    let fixture = Fixture(capacity: 1 << 20)
    let cache = try fixture.open()
    for number in 0..<1000 {
      cache.store(body(number, count: 100), forKey: key(number))
      fixture.clock.advance(by: .seconds(1))
    }
    for number in stride(from: 0, to: 1000, by: 3) { cache.touch(key(number)) }
    for number in stride(from: 0, to: 1000, by: 2) { cache.remove(forKey: key(number)) }
    let index = cache.store.index
    let before = index.entriesByAccess(at: .max)
    let pageCount = index.withLock { $0.pages.count }
    // The pages in the files belong to the former ones.
    cache.store.write { _ = $0.indexFile.remove() }
    index.rebuildPages()
    let after = index.entriesByAccess(at: .max)
    #expect(before.map(\.key) == after.map(\.key) && before.map(\.accessed) == after.map(\.accessed))
    #expect(after.count == 500 && cache.count == 500)
    #expect(index.withLock { $0.pages.count } < pageCount)
    #expect(cache.verify().isSound)
  }
}
