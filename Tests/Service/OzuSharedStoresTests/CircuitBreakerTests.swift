import Ozu
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("The breaker of a node")
struct CircuitBreakerTests {
  private let start = ContinuousClock.now
  private let policy = SharedStoreBreakerPolicy(
    failureLimit: 3, firstPause: .seconds(1), longestPause: .seconds(4))

  @Test("opens after failures in a row, probes once after a pause, and closes when the probe succeeds")
  func life() throws {
    var breaker = CircuitBreaker(policy)
    var now = start
    func ask() -> CircuitBreaker.Permit? { breaker.permit(at: now) }
    for _ in 0..<2 { breaker.fail(try #require(ask()), at: now) }
    breaker.succeed(try #require(ask()))
    for _ in 0..<3 {
      #expect(breaker.state == .closed)
      breaker.fail(try #require(ask()), at: now)
    }
    for pause in [1, 2, 4, 4] {
      #expect(breaker.state == .open)
      now += .seconds(pause) - .milliseconds(1)
      #expect(ask() == nil && !breaker.isPermitting(at: now))
      now += .milliseconds(1)
      #expect(breaker.isPermitting(at: now))
      let probe = try #require(ask())
      #expect(probe.isProbe && breaker.state == .halfOpen && ask() == nil)
      breaker.fail(probe, at: now)
    }
    now += .seconds(4)
    breaker.succeed(try #require(ask()))
    #expect(breaker.state == .closed)
    // The pauses begin again with the shortest.
    for _ in 0..<3 { breaker.fail(try #require(ask()), at: now) }
    #expect(breaker.isPermitting(at: now + .seconds(1)))
  }

  /// The same rules in another form: the events of the current period decide everything.
  private struct Model {
    let policy: SharedStoreBreakerPolicy
    var failuresInARow = 0
    var openings = 0
    var openedAt: ContinuousClock.Instant?
    var probe: Int?
    var stale = -1

    var pause: Duration {
      (1..<max(1, openings)).reduce(policy.firstPause) { pause, _ in min(pause * 2, policy.longestPause) }
    }

    mutating func permits(_ number: Int, at now: ContinuousClock.Instant) -> Bool {
      guard let openedAt else { return true }
      guard probe == nil, now >= openedAt + pause else { return false }
      probe = number
      stale = number - 1
      return true
    }

    mutating func end(_ number: Int, succeeded: Bool, next: Int, at now: ContinuousClock.Instant) {
      guard number > stale else { return }
      if openedAt != nil, number != probe { return }
      if succeeded {
        if openedAt != nil { (openings, openedAt, probe, stale) = (0, nil, nil, next - 1) }
        failuresInARow = 0
        return
      }
      failuresInARow += 1
      if openedAt != nil || failuresInARow >= policy.failureLimit {
        (openedAt, probe, stale, failuresInARow) = (now, nil, next - 1, 0)
        openings += 1
      }
    }
  }

  @Test("it agrees with a naive model under random calls", arguments: 1...200)
  func model(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var breaker = CircuitBreaker(policy)
    var model = Model(policy: policy)
    var now = start
    var permits: [(number: Int, permit: CircuitBreaker.Permit)] = []
    var next = 0
    for step in 0..<400 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        let permit = breaker.permit(at: now)
        let isPermitted = model.permits(next, at: now)
        #expect((permit != nil) == isPermitted, "seed \(seed), step \(step)")
        if let permit { permits.append((next, permit)) }
        next += 1
      case 5..<9 where !permits.isEmpty:
        let (number, permit) = permits.remove(at: Int.random(in: permits.indices, using: &generator))
        let succeeded = Int.random(in: 0..<3, using: &generator) == 0
        if succeeded { breaker.succeed(permit) } else { breaker.fail(permit, at: now) }
        model.end(number, succeeded: succeeded, next: next, at: now)
      default: now += .milliseconds(Int.random(in: 0...1500, using: &generator))
      }
      let expected: SharedStoreNodeState =
        model.openedAt == nil ? .closed : model.probe == nil ? .open : .halfOpen
      #expect(breaker.state == expected, "seed \(seed), step \(step)")
      if breaker.state != expected { return }
    }
  }
}

@Suite("Keys are spread over nodes")
struct RendezvousHashTests {
  @Test("evenly, in any order of the nodes; adding or removing a node moves only its share")
  func spreading() {
    let names = ["a:1", "b:1", "c:1", "d:1"]
    let (four, three) = (RendezvousHash(names), RendezvousHash(Array(names.dropLast())))
    let reversed = RendezvousHash(names.reversed())
    var counts = [0, 0, 0, 0]
    for number in 0..<4000 {
      let key = CacheKey("\(number)")
      let place = four.node(of: key)
      counts[place] += 1
      #expect(reversed.node(of: key) == 3 - place)
      #expect(place == 3 || three.node(of: key) == place)
    }
    #expect(counts.allSatisfy { (850...1150).contains($0) })
  }
}
