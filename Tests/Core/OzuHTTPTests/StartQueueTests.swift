import OzuTesting
import Testing

@testable import OzuHTTP

@Suite("Order of waiting requests")
struct StartQueueTests {
  private let a: HTTPOrigin
  private let b: HTTPOrigin

  init() throws {
    a = try HTTPOrigin(of: url("http://a.example/"))
    b = try HTTPOrigin(of: url("http://b.example/"))
  }

  private func drain(_ queue: inout StartQueue<String>) -> [String] {
    var started: [String] = []
    while let next = queue.next() { started.append(next) }
    return started
  }

  @Test("higher priority first, then the older, across origins")
  func order() {
    var queue = StartQueue<String>(maximumActive: 10, maximumActivePerOrigin: 10)
    queue.enqueue("low a", ticket: 0, origin: a, priority: .low)
    queue.enqueue("normal b", ticket: 1, origin: b, priority: .normal)
    queue.enqueue("normal a", ticket: 2, origin: a, priority: .normal)
    queue.enqueue("high b", ticket: 3, origin: b, priority: .veryHigh)
    queue.enqueue("normal b2", ticket: 4, origin: b, priority: .normal)
    let started = drain(&queue)
    #expect(started == ["high b", "normal b", "normal a", "normal b2", "low a"])
  }

  @Test("requests for an origin at its limit wait while others start, and continue when a place is free")
  func perOrigin() {
    var queue = StartQueue<String>(maximumActive: 3, maximumActivePerOrigin: 1)
    queue.enqueue("a1", ticket: 0, origin: a, priority: .high)
    queue.enqueue("a2", ticket: 1, origin: a, priority: .high)
    queue.enqueue("b1", ticket: 2, origin: b, priority: .low)
    let started = drain(&queue)
    #expect(started == ["a1", "b1"])
    queue.finish(origin: b)
    let later = drain(&queue)
    #expect(later == [])
    queue.finish(origin: a)
    let last = drain(&queue)
    #expect(last == ["a2"])
    #expect(queue.activeCount == 1)
  }

  @Test("the total limit also holds for one origin that multiplexes")
  func multiplexing() {
    var queue = StartQueue<String>(maximumActive: 3, maximumActivePerOrigin: 1)
    for ticket in 0..<5 { queue.enqueue("\(ticket)", ticket: UInt64(ticket), origin: a, priority: .normal) }
    let started = drain(&queue)
    #expect(started == ["0"])
    queue.noteMultiplexing(of: a)
    let later = drain(&queue)
    #expect(later == ["1", "2"])
    #expect(queue.waitingCount == 2)
  }

  @Test("a redirected request is next")
  func again() {
    var queue = StartQueue<String>(maximumActive: 1, maximumActivePerOrigin: 1)
    queue.enqueue("first", ticket: 0, origin: a, priority: .normal)
    queue.enqueue("second", ticket: 1, origin: b, priority: .normal)
    let started = drain(&queue)
    #expect(started == ["first"])
    queue.finish(origin: a)
    queue.enqueueFirst("first again", ticket: 0, origin: b, priority: .normal)
    let later = drain(&queue)
    #expect(later == ["first again"])
  }

  @Test("removed requests never start, from any position in the queue", arguments: [0, 1, 2, 3])
  func removing(seed: UInt64) {
    var queue = StartQueue<String>(maximumActive: .max, maximumActivePerOrigin: .max)
    var random = SeededGenerator(seed: seed)
    var expected: [String] = []
    let tickets = Array(0..<UInt64(500))
    for ticket in tickets { queue.enqueue("\(ticket)", ticket: ticket, origin: a, priority: .normal) }
    let removed = Set(tickets.shuffled(using: &random).prefix(400))
    for ticket in removed {
      let isFirst = queue.remove(ticket: ticket, origin: a, priority: .normal)
      let isSecond = queue.remove(ticket: ticket, origin: a, priority: .normal)
      #expect(isFirst && !isSecond)
    }
    expected = tickets.filter { !removed.contains($0) }.map { "\($0)" }
    #expect(queue.waitingCount == 100)
    let started = drain(&queue)
    #expect(started == expected)
  }
}
