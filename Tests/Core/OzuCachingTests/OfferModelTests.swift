import OzuBase
import OzuTesting
import Testing

@testable import OzuCaching

/// Random operations on several caches with one directory, compared with a dictionary. Caches close and open again, and all
/// processes die at any call.
@Suite("Caches that hand over entries, compared with a dictionary")
struct OfferModelTests {
  private final class Model {
    let fixture: Fixture
    var caches: [DiskCache]
    var random: SeededGenerator
    /// The last version of each key, if it is certain; zero for none.
    var versions: [Int: Int] = [:]
    /// Versions that a crash interrupted: they may be there or not.
    var uncertain: [Int: Set<Int>] = [:]
    /// The latest version that each cache has shown of a key.
    var seen: [[Int: Int]]
    var version = 0
    let place: Comment
    /// Whether the cache is so full that entries are evicted.
    let isFull: Bool
    var adopted = 0
    let watch = FileSystemWatch()

    init(seed: UInt64, durability: Durability, isFull: Bool, count: Int) throws {
      place = "seed \(seed)"
      self.isFull = isFull
      random = SeededGenerator(seed: seed)
      fixture = Fixture(capacity: isFull ? 1 << 20 : 2 << 20, durability: durability)
      let fixture = fixture
      caches = try (0..<count).map { _ in try fixture.open() }
      seen = Array(repeating: [:], count: count)
    }

    func draw(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    func begin() { watch.begin(fixture.files, capacity: fixture.capacity) }

    /// The cache that writes, if there is one.
    var writer: Int? { caches.firstIndex { $0.statistics.isWriter } }

    var keyCount: Int { isFull ? 150 : 40 }
    func count(_ number: Int) -> Int { (100 + number * 37 % 900) * (isFull ? 30 : 1) }

    func store(_ cache: Int, _ number: Int) {
      version += 1
      fixture.clock.advance(by: .milliseconds(1))
      let isStored = caches[cache].store(
        body(number, version: version, count: count(number)), forKey: key(number))
      if fixture.files.hasCrashed {
        uncertain[number, default: []].insert(version)
      } else if isStored {
        (versions[number], uncertain[number]) = (version, nil)
      } else {
        // If the cache is not the writer, the key keeps its entry.
        #expect(!caches[cache].statistics.isWriter, place)
      }
    }

    func fetch(_ cache: Int, _ number: Int) {
      let found = caches[cache].entry(forKey: key(number))?.body
      guard !fixture.files.hasCrashed, let found else { return }
      let version = found.withUnsafeBytes { Int($0.loadUnaligned(as: UInt64.self) & 0xffff_ffff) }
      #expect(found == body(number, version: version, count: count(number)), place)
      // No cache returns to an earlier version.
      #expect(version >= seen[cache][number, default: 0], place)
      seen[cache][number] = version
      #expect(
        version <= versions[number, default: 0] || uncertain[number]?.contains(version) == true, place)
    }

    func remove(_ number: Int) {
      guard let writer else { return }
      caches[writer].remove(forKey: key(number))
      if fixture.files.hasCrashed {
        uncertain[number, default: []].insert(0)
      } else {
        (versions[number], uncertain[number]) = (0, nil)
      }
    }

    /// Everything that was handed over is adopted, and all agree.
    func settle() throws {
      guard let writer else { return }
      try? caches[writer].flush()
      if fixture.files.hasCrashed { return }
      for cache in caches.indices {
        for number in 0..<keyCount {
          let expected = versions[number, default: 0]
          let found = caches[cache].entry(forKey: key(number))?.body
          if fixture.files.hasCrashed { return }
          let version = found.map {
            $0.withUnsafeBytes { Int($0.loadUnaligned(as: UInt64.self) & 0xffff_ffff) }
          }
          let isRight =
            uncertain[number, default: []].union(isFull ? [0, expected] : [expected]).contains(version ?? 0)
          #expect(
            isRight,
            "\(place): key \(number) in \(cache) of writer \(writer): \(version ?? 0), not \(expected)")
          seen[cache][number] = version
          if cache == writer, uncertain[number] != nil {
            (versions[number], uncertain[number]) = (version ?? 0, nil)
          }
        }
      }
    }

    func reopen(_ cache: Int) {
      let (fixture, former) = (fixture, caches[cache])
      adopted += former.statistics.adopted
      former.close()
      if fixture.files.hasCrashed { return }
      guard let opened = try? fixture.open() else {
        #expect(fixture.files.hasCrashed, place)
        return
      }
      caches[cache] = opened
      seen[cache] = [:]
    }

    func crash() throws {
      adopted += caches.reduce(0) { $0 + $1.statistics.adopted }
      fixture.files.crash()
      let count = caches.count
      // The caches end before the restart, so that they cannot write to the files again.
      caches = []
      fixture.files.restart(losing: .nothing)
      let fixture = fixture
      caches = try (0..<count).map { _ in try fixture.open() }
      seen = Array(repeating: [:], count: caches.count)
      try settle()
      begin()
    }
  }

  @Test(
    "agree each time that the writer has looked, within the capacity",
    arguments: [Durability.buffered, .synced], Cases.every(2, of: Array(0..<5 as Range<UInt64>)))
  func model(durability: Durability, seed: UInt64) throws {
    let model = try Model(seed: seed, durability: durability, isFull: seed % 3 == 2, count: 3)
    model.begin()
    for step in 0..<600 {
      if model.draw(0..<150) == 0 { model.watch.setFuse(model.draw(0..<60)) }
      let (cache, number) = (model.draw(0..<3), model.draw(0..<model.keyCount))
      switch model.draw(0..<(model.isFull ? 1000 : 100)) {
      case ..<45: model.store(cache, number)
      case ..<85: model.fetch(cache, number)
      case ..<92: model.remove(number)
      case ..<97: try model.settle()
      case ..<100: model.reopen(cache)
      default: model.store(cache, number)
      }
      if model.fixture.files.hasCrashed || step % 200 == 199 {
        model.watch.setFuse(nil)
        try model.crash()
      }
    }
    model.watch.setFuse(nil)
    try model.crash()
    #expect(model.watch.largestExcess <= 0, model.place)
    #expect(model.adopted > 0, model.place)
  }
}
