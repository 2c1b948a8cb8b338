import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Tables and ghosts")
struct MemoryTableTests {
  @Test("a table agrees with a dictionary over random changes", arguments: [UInt32.max, 0xff, 3])
  func model(tagMask: UInt32) {
    var random = SeededGenerator(seed: 7)
    var table = MemoryTable<Int, Counted>()
    let alive = Counter()
    var model: [Int: UInt32] = [:]
    let range = tagMask == .max ? 600 : 60
    for step in 0..<6000 {
      let key = Int.random(in: 0..<range, using: &random)
      if let tag = model[key] {
        let cell = table.find(key, tag)
        let byNode = table.cell(ofNode: key, tag)
        #expect(cell == byNode)
        guard let cell else { continue }
        let departed = table.remove(cell)
        #expect(departed.key == key)
        model[key] = nil
      } else {
        let tag = UInt32(truncatingIfNeeded: random.next()) & tagMask | 1 << 31
        table.insert(.init(tag: tag, node: key, expires: step % 2 == 0, key: key, value: Counted(alive)))
        model[key] = tag
      }
      let count = table.count
      #expect(count == model.count)
      let probe = Int.random(in: 0..<range, using: &random)
      let found = table.find(probe, model[probe] ?? 1 << 31).map { $0.pointee.key }
      #expect(found == (model[probe] == nil ? nil : probe))
    }
    for (key, tag) in model {
      let found = table.find(key, tag).map { $0.pointee.node }
      #expect(found == key)
    }
    // Every value is released once.
    #expect(alive.value == model.count)
    _ = consume table
    #expect(alive.value == 0)
  }

  private final class Counted: Sendable {
    let counter: Counter
    init(_ counter: Counter) {
      self.counter = counter
      counter.add(1)
    }
    deinit { counter.add(-1) }
  }

  @Test("a ghost is found once, until the window has moved past it")
  func ghosts() {
    var set = GhostSet(window: 64)
    set.insert(1, share: 1)
    let answers = [set.remove(1), set.remove(1)]
    #expect(answers == [0, nil])
    set.insert(2, share: 1)
    set.insert(3, share: 1)
    for tag in 100..<164 as Range<UInt32> { set.insert(tag, share: 1) }
    let (tooLate, just, last) = (set.remove(2), set.remove(3), set.remove(163))
    #expect(tooLate == nil)
    #expect(just == 64)
    #expect(last == 0)
  }

  @Test("growing keeps the ghosts")
  func growing() {
    var set = GhostSet(window: 64)
    var random = SeededGenerator(seed: 3)
    let tags = (0..<32).map { _ in UInt32(truncatingIfNeeded: random.next()) }
    for tag in tags { set.insert(tag, share: 1) }
    set.grow(toCapacity: 4096)
    #expect(set.capacity == 4096)
    let kept = tags.count { set.remove($0) != nil }
    #expect(kept >= 30)
  }
}
