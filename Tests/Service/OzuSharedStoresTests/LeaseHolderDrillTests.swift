import Foundation
import Ozu
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuSharedStores

/// The machine that makes a picture for its fleet dies, or stops for a while, during its work. Another machine takes the
/// lease when it has ended, and makes the picture. The test counts the requests to the origin.
@Suite(
  "The holder of a lease is lost", .enabled(if: RealRedis.program != nil, "redis-server is not installed"),
  .timeLimit(.minutes(10)))
struct LeaseHolderDrillTests {
  private let redis: RealRedis
  private let origin: LoopbackServer
  private let machines: [FleetMachine]
  private let gate = Gate()

  init() async throws {
    redis = try await RealRedis()
    origin = try LoopbackServer()
    var picture = LoopbackResponse.ok(
      try PatternPicture(PixelSize(160, 120)).data(as: .png), type: "image/png"
    ).header("Cache-Control", "max-age=600")
    picture.headGate = gate
    origin.routeRest { [picture] _ in picture }
    var machines: [FleetMachine] = []
    // The entries have a code, as an operator's would.
    let variables = ["OZU_REDIS": redis.path, "OZU_STORE_KEY": String(repeating: "0a", count: 16)]
    for _ in 0..<6 { machines.append(try await FleetMachine(variables, settings: "quality = 80\n")) }
    self.machines = machines
  }

  /// The holders of all leases in Redis.
  private func holders() throws -> Set<String> {
    var configuration = RedisConfiguration(nodes: [.unix(redis.path)])
    configuration.deadline = .seconds(60)
    let store = RedisStore(configuration)
    guard case .array(let names) = try store.ask(store.nodes[0], RESPCommand("KEYS", "*l:*")) else {
      return []
    }
    var holders: Set<String> = []
    for case .bulk(let name) in names where !String(decoding: name, as: UTF8.self).hasSuffix(":fence") {
      if case .bulk(let holder) = try store.ask(store.nodes[0], RESPCommand("GET", .data(name))) {
        holders.insert(String(decoding: holder, as: UTF8.self))
      }
    }
    return holders
  }

  /// The key is hot: several clients of each machine ask for it. Meanwhile the settings are read again.
  @Test(
    "one other machine makes the picture when the lease has ended, however many clients ask, and a reload loses none",
    arguments: [SIGKILL, SIGSTOP])
  func loss(signal: Int32) async throws {
    let path = "/x/rs:fit:80:60/plain/http://127.0.0.1:\(origin.port)/a.png@png"
    let first = Task { [machines] in try await machines[0].get(path) }
    await origin.received(1, for: "/a.png")
    let firstHolder = try holders()
    #expect(firstHolder.count == 1)
    // It is lost before the others come: the lease ends within a second, and they wait three seconds for it, however
    // late they come.
    machines[0].signal(signal)
    let others = machines.dropFirst().flatMap { machine in
      (0..<12).map { _ in Task { try await machine.get(path) } }
    }
    for machine in machines.dropFirst() {
      while try await machine.metric("ozu_requests_pending") == 0 {}
      machine.signal(SIGHUP)
    }
    await origin.received(2, for: "/a.png")
    // Not because a machine waited too long: then it would have no lease.
    let secondHolder = try holders()
    #expect(secondHolder.count == 1 && secondHolder != firstHolder)
    gate.open()
    var bodies: Set<Data> = []
    for other in others {
      let answer = try await other.value
      #expect(answer.status == 200)
      bodies.insert(answer.body)
    }
    if signal == SIGSTOP {
      // Another machine has its lease; it still answers its own client.
      machines[0].signal(SIGCONT)
      let answer = try await first.value
      #expect(answer.status == 200)
      bodies.insert(answer.body)
    } else {
      await #expect(throws: (any Error).self) { _ = try await first.value }
    }
    #expect(bodies.count == 1)
    #expect(origin.requestCount(for: "/a.png") == 2)
    let decodes = try await Array(machines.dropFirst()).metrics("ozu_decodes_total")
    #expect(decodes.sorted() == [0, 0, 0, 0, 1])
  }
}
