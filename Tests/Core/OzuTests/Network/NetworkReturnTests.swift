import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("The return of the network")
struct NetworkReturnTests {
  private let monitor = ManualNetworkMonitor()
  private let clock = ManualClock()

  private func returns(fraction: @escaping @Sendable () -> Double = { 0.5 }) -> NetworkReturn {
    NetworkReturn(
      monitor, now: clock.now, sleep: { [clock] in try await clock.sleep(for: $0) }, fraction: fraction)
  }

  @Test("waiting loads are restarted once each, spread over a time that grows with their number")
  func spread() async throws {
    let delays = Shared<[Duration]>([])
    let fractions = Shared(0.0)
    let returns = NetworkReturn(
      monitor, now: clock.now,
      sleep: { delay in delays.change { $0.append(delay) } },
      fraction: {
        fractions.change {
          $0 += 1 / 64; return $0
        }
      })
    let restarts = Shared(0)
    let tickets = (0..<40).compactMap { _ in returns.wait(restartCount: 0) { restarts.change { $0 += 1 } } }
    #expect(tickets.count == 40)
    #expect(monitor.observerCount == 1)
    monitor.bringBack()
    monitor.bringBack()
    try await eventually(restarts.value == 40)
    let sorted = delays.value.sorted()
    #expect(Set(sorted).count == 40)
    #expect(sorted[0] >= .milliseconds(300))
    // 40 times 50 ms; the fractions cover 40/64 of that.
    #expect(sorted[39] == .milliseconds(300) + .milliseconds(1250))
    #expect(monitor.observerCount == 0)
    #expect(returns.count == 0)
  }

  @Test("a load whose ticket was released is never restarted, even if it was scheduled")
  func released() async throws {
    let returns = returns()
    let restarts = Shared(0)
    var first = returns.wait(restartCount: 0) { restarts.change { $0 += 1 } }
    var second = returns.wait(restartCount: 0) { restarts.change { $0 += 100 } }
    monitor.bringBack()
    await clock.sleepers(2)
    second = nil
    clock.advance(by: .seconds(10))
    try await eventually(restarts.value == 1)
    first = nil
    _ = (first, second)
    #expect(monitor.observerCount == 0)
    #expect(restarts.value == 1)
  }

  @Test("the number of waiting loads is bounded, the oldest is dropped first, and none waits for ever")
  func bounds() async throws {
    let returns = returns()
    let restarted = Shared<[Int]>([])
    let tickets = (0..<(NetworkReturn.countLimit + 3)).map { number in
      returns.wait(restartCount: 0) { restarted.change { $0.append(number) } }
    }
    #expect(returns.count == NetworkReturn.countLimit)
    monitor.bringBack()
    await clock.sleepers(NetworkReturn.countLimit)
    clock.advance(by: .seconds(10))
    try await eventually(restarted.value.count == NetworkReturn.countLimit)
    #expect(restarted.value.min() == 3)
    let old = returns.wait(restartCount: 0) { restarted.change { $0.append(-1) } }
    clock.advance(by: NetworkReturn.lifetime + .seconds(1))
    monitor.bringBack()
    #expect(returns.count == 0)
    #expect(!restarted.value.contains(-1))
    withExtendedLifetime((tickets, old)) {}
  }

  @Test("a load that fails again is restarted after a delay that doubles, five times in all")
  func again() async throws {
    let returns = returns()
    let restarts = Shared(0)
    var ticket: NetworkObservation?
    for count in 1..<NetworkReturn.restartLimit {
      ticket = returns.wait(restartCount: count) { restarts.change { $0 += 1 } }
      await clock.sleepers(count)
      clock.advance(by: .seconds(1 << count) - .milliseconds(1))
      #expect(restarts.value == count - 1)
      clock.advance(by: .milliseconds(1))
      try await eventually(restarts.value == count)
    }
    ticket = returns.wait(restartCount: NetworkReturn.restartLimit) {}
    #expect(ticket == nil)
    #expect(monitor.observerCount == 0)
  }

  #if os(Linux)
    private static func message(_ kind: UInt16, _ body: [UInt8]) -> [UInt8] {
      let length = UInt32(16 + body.count)
      let head =
        [UInt8(length & 255), UInt8(length >> 8), 0, 0, UInt8(kind), 0] + [UInt8](repeating: 0, count: 10)
      return head + body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    }

    private static func link(_ index: UInt8, _ flags: UInt8) -> [UInt8] {
      message(16, [0, 0, 1, 0, index, 0, 0, 0, flags, 0, 0, 0, 0, 0, 0, 0])
    }

    private static func address(scope: UInt8) -> [UInt8] { message(20, [2, 24, 0x80, scope, 2, 0, 0, 0]) }

    private static func route(length: UInt8, type: UInt8) -> [UInt8] {
      message(24, [2, length, 0, 0, 254, 3, 0, type, 0, 0, 0, 0])
    }

    @Test(
      "messages of the system after which connections may work again",
      arguments: [
        ([link(2, 0x41)], false), ([link(2, 0x01), link(2, 0x41)], true),
        ([link(2, 0x41), link(2, 0x41)], false),
        ([link(2, 0x01), link(3, 0x41)], false), ([link(1, 0x08), link(1, 0x48)], false),
        ([address(scope: 0)], true), ([address(scope: 200)], true), ([address(scope: 253)], false),
        ([address(scope: 254)], false), ([route(length: 0, type: 1)], true),
        ([route(length: 24, type: 1)], false),
        ([route(length: 0, type: 7)], false), ([message(17, [0, 0])], false), ([[1, 2, 3]], false),
        ([Array(address(scope: 0).prefix(20))], false),
        ([[255, 0, 0, 0, 20, 0] + [UInt8](repeating: 0, count: 20)], false),
        ([message(21, [2, 24, 0, 0]) + message(2, []) + address(scope: 0)], true),
      ] as [([[UInt8]], Bool)])
    func messages(_ reads: [[UInt8]], _ isBack: Bool) {
      var messages = RouteMessages()
      var heard = false
      for bytes in reads { heard = messages.take(bytes) || heard }
      #expect(heard == isBack)
    }
  #endif

  @Test("the monitor listens to the system while there are observers, from any number of threads")
  func system() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          let observation = SystemNetworkMonitor.shared.observe {}
          await Task.yield()
          withExtendedLifetime(observation) {}
        }
      }
    }
  }
}
