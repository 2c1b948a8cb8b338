import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// Random operations on a cache whose segments are so large that they are removed in steps, compared with a dictionary. The
/// process may end at any call, and the cache opens again.
@Suite("A disk cache whose segments are removed in steps")
struct DrainModelTests {
  private struct Name: Hashable {
    let number: Int
    let partition: Partition
  }

  /// A value that a key may have. The key may lose it at any time, by an eviction, but must not get it back after that.
  private struct Value: Hashable {
    let version: Int
    let count: Int
    var metadata: Data
  }

  private final class Model {
    var fixture = Fixture()
    var cache: DiskCache
    var random: SeededGenerator
    var allowed: [Name: Set<Value>] = [:]
    var version = 0
    let watch = FileSystemWatch()
    let place: Comment
    /// Whether the cache was closed before it opened, so that it must have read its stored index.
    var isTakenUp = false

    init(seed: UInt64, durability: Durability) throws {
      random = SeededGenerator(seed: seed)
      place = "seed \(seed), \(durability)"
      fixture.capacity = DrainModelTests.capacity
      fixture.durability = durability
      fixture.partitions = ["small": 400_000]
      cache = try fixture.open()
      watch.begin(fixture.files, capacity: fixture.capacity)
    }

    var hasCrashed: Bool { fixture.files.hasCrashed }

    func draw(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    func name() -> Name {
      Name(number: draw(0..<1500), partition: draw(0..<6) == 0 ? "small" : "large")
    }

    private func bytes(of value: Value, _ name: Name) -> Data {
      body(name.number, version: value.version, count: value.count)
    }

    /// Notes that a value was stored, or not. A store that a crash interrupted may have happened or not.
    private func note(_ value: Value, _ name: Name, isStored: Bool) {
      if hasCrashed {
        allowed[name, default: []].insert(value)
      } else {
        allowed[name] = isStored ? [value] : []
      }
    }

    /// Stores an entry. A long one can have a segment of its own.
    func store(_ name: Name, isLong: Bool = false) {
      version += 1
      let metadata = draw(0..<3) == 0 ? Data() : Data("\(version)".utf8)
      let value = Value(
        version: version, count: draw(isLong ? 60_000..<200_000 : 600..<12_000), metadata: metadata)
      let isStored = cache.store(
        bytes(of: value, name), metadata: metadata, forKey: key(name.number), in: name.partition)
      note(value, name, isStored: isStored)
    }

    func fetch(_ name: Name) {
      let isThere = cache.contains(key(name.number), in: name.partition)
      let entry = cache.entry(forKey: key(name.number), in: name.partition)
      if hasCrashed { return }
      #expect(isThere == (entry != nil), "\(place): \(name)")
      guard let entry else {
        allowed[name] = []
        return
      }
      let own = (allowed[name] ?? []).filter {
        $0.metadata == entry.metadata && bytes(of: $0, name) == entry.body
      }
      #expect(!own.isEmpty, "\(place): \(name)")
      allowed[name] = own
    }

    func remove(_ name: Name) {
      cache.remove(forKey: key(name.number), in: name.partition)
      if !hasCrashed { allowed[name] = [] }
    }

    func update(_ name: Name) {
      version += 1
      let metadata = Data(repeating: UInt8(truncatingIfNeeded: version), count: draw(1..<80))
      let isDone = cache.updateMetadata(metadata, forKey: key(name.number), in: name.partition)
      let updated = Set(
        (allowed[name] ?? []).map { Value(version: $0.version, count: $0.count, metadata: metadata) })
      if hasCrashed {
        allowed[name, default: []].formUnion(updated)
      } else {
        allowed[name] = isDone ? updated : []
      }
    }

    func removeAll(in partition: Partition) {
      do { try cache.removeAll(in: partition) } catch { return }
      for name in allowed.keys where name.partition == partition { allowed[name] = [] }
    }

    func setCapacity(_ capacity: Int) {
      cache.setCapacity(capacity)
      #expect(hasCrashed || fixture.byteCount <= capacity, place)
      fixture.capacity = capacity
      watch.begin(fixture.files, capacity: capacity)
    }

    func reopen() throws {
      let isCrash = hasCrashed || draw(0..<2) == 0
      if isCrash { fixture.files.crash() }
      watch.setFuse(nil)
      cache.close()
      if isCrash { fixture.files.restart(losing: .nothing) }
      isTakenUp = !isCrash && fixture.files.contents(of: Fixture.index) != nil
      cache = try fixture.open()
      #expect(fixture.byteCount <= fixture.capacity, place)
      watch.begin(fixture.files, capacity: fixture.capacity)
      if draw(0..<3) == 0 { watch.setFuse(draw(0..<4000)) }
    }

    func step() throws {
      switch draw(0..<1000) {
      case 0..<480: store(name())
      case 480..<720: fetch(name())
      case 720..<790: remove(name())
      case 790..<880: update(name())
      case 880..<950: cache.touch(key(draw(0..<1500)), in: "large")
      case 950..<970: store(name(), isLong: true)
      case 970..<978: try? cache.flush()
      case 978..<980: setCapacity(DrainModelTests.capacity - draw(0..<2_000_000))
      case 980..<984: try? cache.trim(toByteCount: fixture.byteCount - draw(0..<500_000))
      case 984: removeAll(in: "small")
      case 985..<990: cache.setCapacity(draw(100_000..<800_000), of: "small")
      case 990..<994: try reopen()
      default: fixture.clock.advance(by: .seconds(1))
      }
      if hasCrashed { try reopen() }
      if isTakenUp { #expect(cache.statistics.rebuiltIndexes == 0, place) }
      #expect(watch.largestExcess <= 0, place)
    }

    func finish() throws {
      watch.setFuse(nil)
      for name in allowed.keys { fetch(name) }
      #expect(cache.statistics.corruptEntries == 0, place)
      #expect(cache.count == allowed.values.count { !$0.isEmpty }, place)
      #expect(cache.verify().corruptEntries.isEmpty, place)
      #expect(fixture.byteCount == cache.totalByteCount, place)
      cache.close()
      cache = try fixture.open()
      for name in allowed.keys { fetch(name) }
    }
  }

  /// Segments of 320 KB.
  private static let capacity = 10 << 20

  @Test(
    "never serves an outdated entry, and never exceeds its capacity", arguments: 0..<3,
    [Durability.buffered, .synced])
  func model(seed: UInt64, durability: Durability) throws {
    let model = try Model(seed: seed, durability: durability)
    for _ in 0..<Cases.count(1500, of: 5000) { try model.step() }
    try model.finish()
    #expect(model.cache.statistics.errors == 0)
  }
}
