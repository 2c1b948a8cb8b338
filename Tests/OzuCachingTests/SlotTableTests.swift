import Testing

@testable import OzuCaching

@Suite("Slot tables and ghosts")
struct SlotTableTests {
  @Test("a table agrees with a dictionary over random changes", arguments: [UInt32.max, 0xff, 3])
  func model(tagMask: UInt32) {
    var random = SeededGenerator(7)
    var table = SlotTable()
    var model: [Int: UInt32] = [:]
    let range = tagMask == .max ? 600 : 60
    for _ in 0..<6000 {
      let slot = Int.random(in: 0..<range, using: &random)
      if let tag = model[slot] {
        table.remove(tag, slot: slot)
        model[slot] = nil
      } else {
        let tag = UInt32(truncatingIfNeeded: random.next()) & tagMask
        table.insert(tag, slot: slot)
        model[slot] = tag
      }
      #expect(table.count == model.count)
      let probe = Int.random(in: 0..<range, using: &random)
      let tag = model[probe] ?? 1
      let found = table.find(tag, where: { $0 == probe })
      #expect(found == (model[probe] == nil ? nil : probe))
    }
    for (slot, tag) in model { #expect(table.find(tag, where: { $0 == slot }) == slot) }
  }

  @Test("a ghost is remembered until as many others left as the set holds, and once")
  func ghosts() {
    var set = GhostSet(capacity: 64)
    set.insert(1)
    let answers = [set.remove(1), set.remove(1)]
    #expect(answers == [true, false])
    set.insert(2)
    for tag in 100..<164 as Range<UInt32> { set.insert(tag) }
    let tooLate = set.remove(2)
    #expect(!tooLate)
    let last = set.remove(163)
    #expect(last)
  }

  @Test("growing keeps the ghosts there are")
  func growing() {
    var set = GhostSet(capacity: 64)
    var random = SeededGenerator(3)
    let tags = (0..<32).map { _ in UInt32(truncatingIfNeeded: random.next()) }
    for tag in tags { set.insert(tag) }
    set.grow(toCapacity: 4096)
    #expect(set.capacity == 4096)
    let kept = tags.count { set.remove($0) }
    #expect(kept >= 30)
  }
}
