import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

/// Eight processes of `ozu serve` that share a redis-server of the system, and an origin that counts. The tests count
/// requests to the origin and failures, and measure no time.
@Suite("A fleet of real processes", .enabled(if: RealRedis.program != nil), .timeLimit(.minutes(10)))
struct RealFleetTests {
  private static let machineCount = 8
  private static let clientCount = 64

  private let origin: LoopbackServer
  private let redis: RealRedis
  private let machines: [FleetMachine]

  init() async throws {
    redis = try await RealRedis()
    origin = try LoopbackServer()
    let picture = try PatternPicture(PixelSize(640, 480)).data(as: .jpeg)
    origin.routeRest { _ in
      var response = LoopbackResponse.ok(picture, type: "image/jpeg")
      response.headers["Cache-Control"] = "max-age=600"
      return response
    }
    var machines: [FleetMachine] = []
    for _ in 0..<Self.machineCount { machines.append(try await FleetMachine(["OZU_REDIS": redis.path])) }
    self.machines = machines
  }

  /// All clients request a picture from all machines at the same time. A failed request is an issue.
  ///
  /// - Returns: how often the origin was asked for it, and how often it was decoded.
  private func burst(_ name: String) async throws -> (fetches: Int, decodes: Int) {
    let before = try await decodes()
    let path = "/x/rs:fit:320:240/plain/http://127.0.0.1:\(origin.port)/\(name)@webp"
    let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
      for number in 0..<Self.clientCount {
        group.addTask { [machines] in
          let answer = try await machines[number % Self.machineCount].get(path)
          #expect(answer.status == 200, "\(name)")
          return answer.body
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(bodies.count == 1, "\(name)")
    return (origin.requestCount(for: "/\(name)"), try await decodes() - before)
  }

  private func decodes() async throws -> Int {
    var sum = 0
    for machine in machines { sum += try await machine.metric("ozu_decodes_total") }
    return sum
  }

  @Test(
    "one exchange and one decode for a new picture; no request fails if the store hangs, dies, is empty or is full"
  )
  func faults() async throws {
    for name in ["cold-1", "cold-2"] { #expect(try await burst(name) == (1, 1)) }
    #expect(try await burst("cold-1") == (1, 0))
    redis.hang()
    // Without leases each machine makes the picture, and no machine makes it twice.
    let hanging = try await burst("hanging")
    #expect((1...Self.machineCount).contains(hanging.fetches) && hanging.decodes == hanging.fetches)
    redis.continueRunning()
    redis.crash()
    let dead = try await burst("dead")
    #expect((1...Self.machineCount).contains(dead.fetches) && dead.decodes == dead.fetches)
    try await redis.start()
    // A picture in memory is not requested again.
    #expect(try await burst("cold-2") == (1, 0))
    for machine in machines { #expect(try await machine.metric("ozu_requests_pending") == 0) }
  }
}
