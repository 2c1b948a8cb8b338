import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("The size of a picture is known before its pixels")
@MainActor
struct ReservedPlaceTests {
  private let gate = Gate()

  /// Serves a picture whose first bytes come when the gate opens.
  private func serve(_ fixture: Fixture, _ path: String = "a.jpg") throws -> URL {
    try fixture.serve(path) { $0.dripping(2_000, through: gate) }
  }

  @Test("a task reports the size as soon as the bytes contain it, to late subscribers too")
  func task() async throws {
    let fixture = Fixture()
    let task = fixture.pipeline.task(for: ImageRequest(url: try serve(fixture), resize: Fixture.small))
    var events = task.events.makeAsyncIterator()
    await gate.arrivals(1)
    #expect(task.sourceSize == nil)
    gate.admit()
    var size: PixelSize?
    while size == nil, let event = await events.next() {
      if case .size(let told) = event { size = told }
    }
    #expect(size == PixelSize(320, 240))
    #expect(task.sourceSize == PixelSize(320, 240))
    #expect(task.result == nil)
    var late = task.events.makeAsyncIterator()
    guard case .progress? = await late.next(), case .size(PixelSize(320, 240))? = await late.next() else {
      Issue.record("the size comes after the progress")
      return
    }
    gate.open()
    #expect(try await task.image.size == PixelSize(32, 24))
    var rest = 0
    while let event = await events.next() { if case .size = event { rest += 1 } }
    #expect(rest == 0)
  }

  @Test("the header is not read without a listener, nor for a picture that is complete at once")
  func unheard() async throws {
    let fixture = Fixture()
    let task = fixture.pipeline.task(for: try serve(fixture))
    await gate.arrivals(1)
    gate.admit()
    await gate.arrivals(2)
    #expect(fixture.pipeline.waitingCount(on: .decode) == 0)
    #expect(task.sourceSize == nil)
    gate.open()
    _ = try await task.image
    #expect(task.sourceSize == PixelSize(320, 240))
    let whole = fixture.pipeline.task(for: try fixture.serve("b.jpg"))
    for await event in whole.events { if case .size = event { Issue.record("the picture is there as soon") } }
  }

  @Test(
    "a view reserves space for its picture before any pixel, also after a placeholder, and nothing moves",
    arguments: [
      (ScaleMode.aspectFit, DisplaySize(100, 100)), (.aspectFill, DisplaySize(100, 100)),
      (.fill, DisplaySize(90, 30)), (.none, nil), (.aspectFit, DisplaySize(900, 900)),
    ] as [(ScaleMode, DisplaySize?)])
  func view(_ mode: ScaleMode, _ size: DisplaySize?) async throws {
    let fixture = Fixture()
    let view = FakeImageView(size, scale: 2, mode: mode, pipeline: fixture.pipeline)
    view.images.options.placeholder = .picture(Picture(PatternPicture(PixelSize(8, 8)).bitmap))
    var told: [PixelSize] = []
    view.images.setImage(
      ImageRequest(url: try serve(fixture)), handlers: DisplayHandlers(size: { told.append($0) }))
    await gate.arrivals(1)
    #expect(view.images.expectedSize == nil)
    gate.admit()
    await view.reservations(1)
    #expect(view.shownPicture == nil)
    let reserved = try #require(view.reservations.first)
    #expect(view.images.expectedSize == reserved.size)
    #expect(told == [reserved.size])
    // Set again, for other closures.
    view.images.setImage(
      ImageRequest(url: Fixture.url("a.jpg")), handlers: DisplayHandlers(size: { told.append($0) }))
    #expect(told == [reserved.size, reserved.size])
    // A load that begins again shows the placeholder again, in the same room.
    view.images.viewDidDisappear()
    view.images.viewDidAppear()
    #expect(view.reservations.map(\.stepCount) == [1, 2, 3])
    gate.open()
    await view.settled()
    #expect(view.shownPicture?.size == reserved.size)
    #expect(view.reservations.allSatisfy { $0.size == reserved.size } && view.reservations.count == 3)
  }

  @Test("a view with another picture does not receive the size of the former one")
  func reused() async throws {
    let fixture = Fixture()
    let view = FakeImageView(mode: .none, pipeline: fixture.pipeline)
    view.images.setImage(ImageRequest(url: try serve(fixture)))
    await gate.arrivals(1)
    let other = try fixture.serve("b.jpg", PatternPicture(PixelSize(64, 48)))
    view.images.setImage(ImageRequest(url: other))
    gate.open()
    await view.settled()
    #expect(view.shownPicture?.size == PixelSize(64, 48))
    #expect(view.reservations.isEmpty)
  }

  @Test("a resumed download reports the size from the stored beginning")
  func resumed() async throws {
    let fixture = Fixture()
    let body = try Fixture.photo.data(as: .jpeg) + Data(count: 200_000)
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(body).header("ETag", "\"1\"").servingRanges())
    _ = try await fixture.pipeline.header(for: ImageRequest(url: url))
    fixture.client.reply(
      to: url, with: .ok(body).header("ETag", "\"1\"").servingRanges().dripping(2_000, through: gate))
    let view = FakeImageView(mode: .none, pipeline: fixture.pipeline)
    view.images.setImage(ImageRequest(url: url))
    await view.reservations(1)
    #expect(view.reservations.first?.size == PixelSize(320, 240))
    gate.open()
    await view.settled()
    #expect(fixture.client.requests.last?.headers["Range"] == "bytes=65536-")
  }
}
