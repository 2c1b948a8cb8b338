import Foundation
import Ozu
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer
@testable import OzuSharedStores

@Suite("A fleet makes each picture once", .timeLimit(.minutes(5)))
struct FleetTests {
  private let network = FakeHTTPClient()
  private let clock = ManualClock()
  private let store = MemoryImageStore()

  /// Services that share one store and one origin.
  private func fleet(_ leases: InMemoryLeases?) throws -> [ServiceFixture] {
    try (0..<8).map { _ in
      try ServiceFixture(network: network, clock: clock, stores: [store]) {
        $0.leases = leases
        $0.fillPolicy.leaseDuration = .seconds(60)
        $0.fillPolicy.waitLimit = .seconds(60)
      }
    }
  }

  private func decodes(_ fleet: [ServiceFixture]) -> Int {
    fleet.reduce(0) { $0 + $1.service.pipeline.statistics.decodes }
  }

  @Test("one origin exchange and one decode for 64 clients of eight services", arguments: [true, false])
  func cold(hasLeases: Bool) async throws {
    let fleet = try fleet(hasLeases ? InMemoryLeases() : nil)
    try fleet[0].serve("a.png")
    let answers = await withTaskGroup(of: ServiceResponse.self) { group in
      for number in 0..<64 { group.addTask { await fleet[number % 8].get("/32/a.png") } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count == 64)
    #expect(answers.allSatisfy { $0.status == 200 && $0.body == answers[0].body })
    #expect(Set(answers.map { $0.headers["ETag"] }).count == 1)
    guard hasLeases else { return }
    #expect(network.requestCount(for: ServiceFixture.url("a.png")) == 1)
    #expect(decodes(fleet) == 1)
  }

  @Test("a failure is reported by each service to its own client, once")
  func failing() async throws {
    let leases = InMemoryLeases()
    let fleet = try fleet(leases)
    network.reply(to: ServiceFixture.url("a.png"), with: .status(500))
    for service in fleet { #expect(await service.get("/32/a.png").status == 502) }
    try await eventually(leases.state.withLock { $0.holders.isEmpty })
  }

  @Test("a picture that may not be stored is made by each service and not stored")
  func privacy() async throws {
    let leases = InMemoryLeases()
    let fleet = try fleet(leases)
    try fleet[0].serve("a.png", control: "private")
    for service in fleet {
      #expect(await service.get("/32/a.png").headers["Cache-Control"] == "private, no-store")
    }
    #expect(store.keys.isEmpty)
    #expect(decodes(fleet) == 8)
  }
}
