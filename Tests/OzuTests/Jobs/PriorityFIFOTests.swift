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
}
