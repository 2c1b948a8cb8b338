import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

/// Eight real processes and a fake Redis, which delays, closes connections, corrupts and refuses. In every case no request
/// fails and no byte is wrong; the breakers open in the cases on the page about shared stores, and close again.
@Suite("A fleet of real processes, and a store that misbehaves", .timeLimit(.minutes(10)))
struct FleetFaultTests {
  private static let machineCount = 8

  private let origin: LoopbackServer
  private let redis: FakeRedis
  private let machines: [FleetMachine]
  private let names = Names()

  init() async throws {
    redis = try FakeRedis()
    origin = try LoopbackServer()
    let picture = try PatternPicture(PixelSize(160, 120)).data(as: .png)
    origin.routeRest { _ in
      LoopbackResponse.ok(picture, type: "image/png").header("Cache-Control", "max-age=600")
    }
    var machines: [FleetMachine] = []
    for _ in 0..<Self.machineCount { machines.append(try await FleetMachine(["OZU_REDIS": redis.path])) }
    self.machines = machines
  }

  private final class Names: Sendable {
    private let number = Mutex(0)

    func next() -> String {
      number.withLock {
        $0 += 1
        return "picture-\($0)"
      }
    }
  }

  private func newName() -> String { names.next() }

  /// Two clients of every machine request a picture at the same time. A failed request is an issue.
  ///
  /// - Returns: the number of requests to the origin, and the file.
  @discardableResult
  private func burst(_ name: String) async throws -> (fetches: Int, body: Data?) {
    let path = "/x/rs:fit:80:60/plain/http://127.0.0.1:\(origin.port)/\(name)@png"
    let before = origin.requestCount(for: "/\(name)")
    let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
      for number in 0..<Self.machineCount * 2 {
        group.addTask { [machines] in
          let answer = try await machines[number % Self.machineCount].get(path)
          #expect(answer.status == 200, "\(name)")
          return answer.body
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(bodies.count == 1, "\(name)")
    return (origin.requestCount(for: "/\(name)") - before, bodies.first)
  }

  private func states() async throws -> [Int] { try await machines.metrics("ozu_shared_store_state{") }

  /// Requests new pictures until the breakers of all machines are in a state.
  private func burst(untilAllAre state: Int) async throws {
    repeat {
      let fetches = try await burst(newName()).fetches
      #expect((1...Self.machineCount).contains(fetches))
    } while try await states() != Array(repeating: state, count: Self.machineCount)
  }

  private static let writes: Set = ["SET", "EVAL", "INCR", "UNLINK", "PEXPIRE"]

  @Test(
    "no request fails and no byte is wrong with any fault of the store; breakers open and close as documented"
  )
  func faults() async throws {
    let (closed, open) = (0, 2)
    let (fetches, body) = try await burst(newName())
    #expect(fetches == 1)
    let right = try #require(body)

    // The store answers with other bytes than were stored: these are misses, and no breaker opens for them.
    redis.react = { _, _ in .flipped }
    #expect(try await burst(newName()).body == right)
    let damaged = try await machines.metrics(#"ozu_shared_store_reads_total{store="redis",result="damaged"}"#)
    #expect(damaged.reduce(0, +) > 0)
    #expect(try await states().allSatisfy { $0 == closed })

    // Writes are refused: each machine makes its own pictures, and existing entries are read.
    redis.react = { _, _ in .done }
    let stored = newName()
    _ = try await machines[0].get("/x/rs:fit:80:60/plain/http://127.0.0.1:\(origin.port)/\(stored)@png")
    try await eventually(redis.keys.count > 1)
    for refusal in [
      "-READONLY You can't write against a read only replica.",
      "-OOM command not allowed when used memory > 'maxmemory'.",
    ] {
      redis.react = { words, _ in Self.writes.contains(words[0]) ? .bytes(refusal + "\r\n") : .done }
      #expect(try await burst(newName()).body == right)
      #expect(try await states().allSatisfy { $0 == closed }, "\(refusal)")
    }
    #expect(
      try await machines.metrics(#"ozu_shared_store_commands_total{store="redis",node="#).reduce(0, +) > 0)

    // It restarts, empty.
    redis.removeAll()
    redis.disconnect()
    redis.react = { _, _ in .done }
    try await burst(untilAllAre: closed)
    #expect(try await burst(newName()).fetches == 1)

    // Its circuit opens, and closes again.
    let hold = Hold()
    let loading: @Sendable ([String], Int) -> FakeRedis.Reaction = { _, _ in
      .bytes("-LOADING Redis is loading the dataset in memory\r\n")
    }
    let cutting: @Sendable ([String], Int) -> FakeRedis.Reaction = { _, _ in .cut }
    let late: @Sendable ([String], Int) -> FakeRedis.Reaction = { _, _ in
      hold.wait()
      return .done
    }
    for (fault, reaction) in [("loads its data", loading), ("cuts its answers", cutting), ("is late", late)] {
      redis.react = reaction
      try await burst(untilAllAre: open)
      // The circuit is open: the breaker's pause is at least a second, and no request waits for a deadline meanwhile.
      #expect(try await burst(newName()).body == right, "\(fault)")
      redis.react = { _, _ in .done }
      // Late answers of commands that have reached their deadline. This comes last.
      if fault == "is late" { hold.end() }
      try await burst(untilAllAre: closed)
      #expect(try await burst(newName()).fetches == 1, "\(fault)")
    }
    #expect(try await machines.metrics("ozu_requests_pending") == Array(repeating: 0, count: 8))
  }

  /// Keeps threads waiting until it ends.
  private final class Hold: @unchecked Sendable {
    // The condition guards the flag.
    private let condition = NSCondition()
    private var hasEnded = false

    func wait() {
      condition.lock()
      while !hasEnded { condition.wait() }
      condition.unlock()
    }

    func end() {
      condition.lock()
      hasEnded = true
      condition.broadcast()
      condition.unlock()
    }
  }
}
