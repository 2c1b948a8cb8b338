import OzuTesting
import Testing

@testable import OzuServer

@Suite("An origin that does not answer", .timeLimit(.minutes(5)))
struct HangingOriginTests {
  @Test("does not delay the pictures of another one", arguments: [33, 64])
  func others(count: Int) async throws {
    let (fixture, gate) = (try ServiceFixture(), Gate())
    for number in 0..<count { try fixture.serve("dead-\(number).png", gate: gate) }
    try fixture.serve("a.png")
    let width = fixture.service.configuration.pipeline.network.concurrentFetchesPerOrigin
    #expect(4 * width <= fixture.service.configuration.pipeline.network.concurrentFetches)
    let stuck = (0..<count).map { number in Task { await fixture.get("/32/dead-\(number).png") } }
    await gate.arrivals(width)
    #expect(await fixture.get("/32/a.png").status == 200)
    #expect(gate.waitingCount == width)
    gate.open()
    for task in stuck { #expect(await task.value.status == 200) }
  }
}
