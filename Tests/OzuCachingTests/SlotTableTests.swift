import OzuTesting
import Testing

@testable import OzuCaching

@Suite("Slot tables and ghosts")
struct SlotTableTests {
  @Test("a table agrees with a dictionary over random changes", arguments: [UInt32.max, 0xff, 3])
  func model(tagMask: UInt32) {
    var random = SeededGenerator(seed: 7)
    var table = SlotTable()
    defer { table.deallocate() }
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

  @Test("growing a table moves a few cells at a time and loses none on the way")
  func spreadGrowth() {
    var table = SlotTable()
    defer { table.deallocate() }
    var random = SeededGenerator(seed: 5)
    var tags: [UInt32] = []
    var sawFormer = false
    for slot in 0..<3000 {
      let tag = UInt32(truncatingIfNeeded: random.next())
      tags.append(tag)
      table.insert(tag, slot: slot)
      guard table.former != nil else { continue }
      sawFormer = true
      if slot % 3 == 0 {
        table.remove(tags[slot / 2], slot: slot / 2)
        table.insert(tags[slot / 2], slot: slot / 2)
      }
      for other in [0, slot / 3, slot / 2, slot] {
        let found = table.find(tags[other], where: { $0 == other })
        #expect(found == other)
      }
    }
    #expect(sawFormer)
    #expect(table.count == 3000)
  }

  @Test("a ghost is found once, until the window has moved past it")
  func ghosts() {
    var set = GhostSet(window: 64)
    defer { set.deallocate() }
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
    defer { set.deallocate() }
    var random = SeededGenerator(seed: 3)
    let tags = (0..<32).map { _ in UInt32(truncatingIfNeeded: random.next()) }
    for tag in tags { set.insert(tag, share: 1) }
    set.grow(toCapacity: 4096)
    #expect(set.capacity == 4096)
    let kept = tags.count { set.remove($0) != nil }
    #expect(kept >= 30)
  }
}
