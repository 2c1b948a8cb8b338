import OzuSynchronization
import OzuTesting
import Testing

@testable import Ozu

@Suite struct SlotsTests {
  @Test("as many operations at once as slots, never more", arguments: [1, 3])
  func bound(_ count: Int) async throws {
    let slots = Slots(count: count)
    let state = Shared((running: 0, most: 0))
    let gate = Gate()
    try await withThrowingTaskGroup { group in
      for _ in 0..<300 {
        group.addTask {
          _ = await slots.run(priority: ImagePriority.normal) {
            state.change {
              $0.running += 1
              $0.most = max($0.most, $0.running)
            }
            try? await gate.pass()
            await Task.yield()
            state.change { $0.running -= 1 }
          }
        }
      }
      defer { gate.open() }
      try await eventually(
        gate.waitingCount == count && slots.waitingCount == 300 - count)
      #expect(state.value.running == count)
      gate.open()
      try await group.waitForAll()
    }
    #expect(state.value.most == count)
    #expect(state.value.running == 0)
  }

  @Test("a waiter that is cancelled leaves at once, and its slot goes to the next")
  func cancellation() async throws {
    let slots = Slots(count: 1)
    let gate = Gate()
    let holder = Task { await slots.run(priority: ImagePriority.normal) { try? await gate.pass() } }
    await gate.arrivals(1)
    let waiter = Task { await slots.run(priority: ImagePriority.high) { true } }
    waiter.cancel()
    #expect(await waiter.value == nil)
    let next = Task { await slots.run(priority: ImagePriority.low) { true } }
    gate.open()
    #expect(await next.value == true)
    #expect(await holder.value != nil)
  }
}
