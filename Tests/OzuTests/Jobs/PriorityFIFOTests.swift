import Testing

@testable import Ozu

@Suite struct PriorityFIFOTests {
  @Test("the most urgent goes first, of equals the oldest, through any number of additions")
  func order() {
    var queue = PriorityFIFO<Int>()
    for number in 0..<1000 { queue.append(number, priority: number % 3 == 0 ? .high : .low) }
    var taken: [Int] = []
    while let number = queue.popFirst() {
      taken.append(number)
      if number == 300 { queue.append(-1, priority: .veryHigh) }
    }
    let high = stride(from: 0, to: 1000, by: 3).map(\.self)
    let expected = high.flatMap { $0 == 300 ? [300, -1] : [$0] } + (0..<1000).filter { $0 % 3 != 0 }
    #expect(taken == expected)
    #expect(queue.popFirst() == nil)
  }

  @Test("an element moves to another level, or leaves, at once")
  func moves() {
    var queue = PriorityFIFO<String>()
    let ids = ["a", "b", "c", "d"].map { queue.append($0, priority: .normal) }
    queue.move(ids[2], to: .high)
    queue.move(ids[0], to: .low)
    queue.move(ids[0], to: .normal)
    #expect(queue.remove(ids[1]) == "b")
    #expect(queue.remove(ids[1]) == nil)
    queue.move(ids[1], to: .veryHigh)
    #expect(queue.count == 3)
    #expect(
      [queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst()] == ["c", "d", "a", nil])
  }

  @Test("a large element lets smaller ones pass, but no more of them than it has size")
  func sizes() {
    var queue = PriorityFIFO<String>()
    let megabyte = 1 << 20
    queue.append("huge", priority: .normal, size: 8 * megabyte)
    for number in 0..<6 { queue.append("large \(number)", priority: .normal, size: 2 * megabyte) }
    queue.append("small", priority: .normal, size: 1000)
    queue.append("urgent", priority: .high, size: 9 * megabyte)
    var taken: [String] = []
    while let element = queue.popFirst() { taken.append(element) }
    // Small and three large ones are less than eight megabytes; the fourth would be more.
    #expect(
      taken == [
        "urgent", "small", "large 0", "large 1", "large 2", "huge", "large 3", "large 4", "large 5",
      ])
  }

  @Test("elements of one size keep their order, whatever others do")
  func fairness() {
    var queue = PriorityFIFO<Int>()
    for number in 0..<300 {
      queue.append(number, priority: .normal, size: [100, 100_000, 10_000_000][number % 3])
    }
    var taken: [Int] = []
    while let number = queue.popFirst() { taken.append(number) }
    for lane in 0..<3 {
      #expect(taken.filter { $0 % 3 == lane } == Array(stride(from: lane, to: 300, by: 3)))
    }
    #expect(taken.count == 300)
  }

  @Test("it knows who goes before whom, and how many are urgent")
  func positions() {
    var queue = PriorityFIFO<Int>()
    let ids = [ImagePriority.low, .high, .low, .veryHigh].enumerated().map {
      queue.append($0.offset, priority: $0.element)
    }
    #expect(ids.map(queue.position) == [2, 1, 3, 0])
    #expect(queue.count(from: .normal) == 2)
    queue.move(ids[1], to: .veryLow)
    #expect(ids.map(queue.position) == [1, 3, 2, 0])
    #expect(queue.remove(ids[3]) == 3)
    #expect(queue.position(of: ids[3]) == nil)
    #expect(queue.count(from: .normal) == 0)
  }

  @Test("elements that leave or move before their turn take no room", arguments: [0, 1, 40])
  func bounded(_ stayingCount: Int) {
    var queue = PriorityFIFO<Int>()
    let staying = (0..<stayingCount).map { queue.append($0, priority: .low, size: $0 << 16) }
    for number in 0..<20_000 {
      let id = queue.append(number, priority: .low, size: number % 5 << 18)
      if number % 2 == 0 { queue.move(id, to: .high) }
      if let first = staying.first { queue.move(first, to: number % 2 == 0 ? .normal : .low) }
      _ = queue.remove(id)
    }
    #expect(queue.count == stayingCount)
    #expect(queue.entryCount <= 3 * 65 + 2 * stayingCount)
    var left = 0
    while queue.popFirst() != nil { left += 1 }
    #expect(left == stayingCount)
  }
}
