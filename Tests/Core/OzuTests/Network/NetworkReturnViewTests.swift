import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("Views whose pictures failed without a network")
@MainActor
struct NetworkReturnViewTests {
  private let monitor = ManualNetworkMonitor()
  private let clock = ManualClock()

  private func fixture() -> Fixture {
    let (monitor, clock) = (monitor, clock)
    return Fixture {
      $0.network.networkMonitor = monitor
      $0.testing.now = clock.now
      $0.testing.sleep = { try await clock.sleep(for: $0) }
    }
  }

  private func comeBack() async {
    monitor.bringBack()
    await clock.sleepers(1)
    clock.advance(by: .seconds(10))
  }

  private func fail(_ fixture: Fixture, _ reason: HTTPError.Reason) async throws -> FakeImageView {
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: [.failure(reason), .ok(try Fixture.photo.data(as: .jpeg))])
    let view = FakeImageView(DisplaySize(64, 48), pipeline: fixture.pipeline)
    view.images.setImage(from: url)
    await view.settled()
    guard case .failed = view.images.phase else {
      Issue.record("\(view.images.phase)")
      return view
    }
    return view
  }

  @Test(
    "a picture that failed without a network is loaded again, and shown",
    arguments: [
      .nameNotResolved, .connectionFailed("Network is unreachable"), .connectionLost, .timedOut(.connect),
      .timedOut(.idle), .bodyTruncated(received: 1, expected: 2),
    ] as [HTTPError.Reason])
  func shown(_ reason: HTTPError.Reason) async throws {
    let fixture = fixture()
    let view = try await fail(fixture, reason)
    #expect(monitor.observerCount == 1)
    await comeBack()
    try await eventually(view.shownPicture != nil)
    #expect(fixture.client.requests.count == 2)
    #expect(monitor.observerCount == 0)
  }

  @Test(
    "other failures are not restarted",
    arguments: [
      .connectionRefused, .tlsFailed("x"), .timedOut(.total), .timedOut(.speed(bytesPerSecond: 1)),
      .protocolError("x"),
      .hostNotAllowed("x"), .addressRefused("x"),
    ] as [HTTPError.Reason])
  func others(_ reason: HTTPError.Reason) async throws {
    let fixture = fixture()
    let view = try await fail(fixture, reason)
    #expect(monitor.observerCount == 0)
    withExtendedLifetime(view) {}
  }

  @Test(
    "a view that has another picture, is cleared, cancelled or released, or switched this off, is not restarted",
    arguments: 0..<5)
  func dropped(_ way: Int) async throws {
    let fixture = fixture()
    var view: FakeImageView? = try await fail(fixture, .nameNotResolved)
    let isMoment = way % 2 == 0
    if isMoment {
      monitor.bringBack()
      await clock.sleepers(1)
    }
    let other = try fixture.serve("b.jpg")
    switch way {
    case 0: view?.images.setImage(from: other)
    case 1: view?.images.clear()
    case 2: view?.images.cancel()
    case 3: view = nil
    default:
      view?.images.setImage(from: other, options: DisplayOptions { $0.restartsWithNetwork = false })
      await view?.settled()
    }
    #expect(monitor.observerCount == 0)
    clock.advance(by: .seconds(60))
    for _ in 0..<100 { await Task.yield() }
    await view?.settled()
    #expect(fixture.client.requestCount(for: Fixture.url("a.jpg")) == 1)
  }

  @Test("a view that is not on screen restarts when it appears")
  func hidden() async throws {
    let fixture = fixture()
    let view = try await fail(fixture, .nameNotResolved)
    view.images.viewDidDisappear()
    await comeBack()
    for _ in 0..<100 { await Task.yield() }
    #expect(fixture.client.requests.count == 1)
    view.images.viewDidAppear()
    // The return may reach the view only now: then it begins by itself.
    try await eventually(view.shownPicture != nil)
  }

  @Test("a view gives up after five restarts, and a new picture has five again")
  func givesUp() async throws {
    let fixture = fixture()
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .failure(.nameNotResolved))
    let view = FakeImageView(DisplaySize(64, 48), pipeline: fixture.pipeline)
    view.images.setImage(from: url)
    await view.settled()
    monitor.bringBack()
    for count in 1...NetworkReturn.restartLimit {
      await clock.sleepers(count)
      clock.advance(by: .seconds(60))
      try await eventually(fixture.client.requests.count == count + 1)
      await view.settled()
    }
    #expect(monitor.observerCount == 0)
    #expect(fixture.client.requests.count == 1 + NetworkReturn.restartLimit)
  }
}
