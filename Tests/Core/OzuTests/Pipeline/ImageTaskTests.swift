import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("A running load")
struct ImageTaskTests {
  @Test("progress grows with the bytes and ends with the task")
  func progress() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let body = try Fixture.photo.data(as: .jpeg)
    let piece = body.count / 4
    let url = try fixture.serve("a.jpg") { $0.dripping(piece, through: gate) }
    let task = fixture.pipeline.task(for: url)
    let reader = Task { await task.progress.reduce(into: [LoadProgress]()) { $0.append($1) } }
    await gate.arrivals(1)
    gate.open()
    _ = try await task.image
    let heard = await reader.value
    #expect(heard.map(\.receivedByteCount) == heard.map(\.receivedByteCount).sorted())
    #expect(
      task.currentProgress == LoadProgress(receivedByteCount: body.count, expectedByteCount: body.count))
    #expect(task.currentProgress?.fraction == 1)
    #expect(await task.progress.reduce(into: []) { $0.append($1) } == [try #require(task.currentProgress)])
  }

  @Test("a width alone is enough, and equal loads are different tasks")
  func widthAndIdentity() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    #expect(try await fixture.pipeline.image(for: url, width: 32).size == PixelSize(32, 24))
    let task = fixture.pipeline.task(for: url)
    #expect(Set([task, task, fixture.pipeline.task(for: url)]).count == 2)
    #expect(try await task.image.size == PixelSize(320, 240))
  }

  @Test("a task that has failed has the progress that it had")
  func progressOfFailure() async throws {
    let fixture = Fixture()
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(Data("no picture".utf8)))
    let task = fixture.pipeline.task(for: url)
    await #expect(throws: ImageError.self) { try await task.image }
    #expect(task.currentProgress == LoadProgress(receivedByteCount: 10, expectedByteCount: 10))
  }

  @Test("events come once and in order, and late subscribers receive the latest state")
  func events() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let body = try Fixture.photo.data(as: .jpeg)
    let url = try fixture.serve("a.jpg") { $0.dripping(body.count / 3 + 1, through: gate) }
    let task = fixture.pipeline.task(for: url)
    let early = Task { await task.events.reduce(into: [ImageTask.Event]()) { $0.append($1) } }
    let kinds = { (events: [ImageTask.Event]) in
      events.map { event in
        switch event {
        case .progress(let progress): "\(progress.receivedByteCount)"
        case .preview: "preview"
        case .size(let size): "\(size)"
        case .finished(let result): (try? result.get()) == nil ? "failure" : "success"
        }
      }
    }
    await gate.arrivals(1)
    #expect(task.status.state == .running)
    #expect(task.result == nil)
    gate.open()
    _ = try await task.image
    let heard = kinds(await early.value)
    #expect(heard.last == "success")
    #expect(heard.contains("\(body.count)"))
    #expect(heard.count { $0 == "success" } == 1)
    let late = kinds(await task.events.reduce(into: []) { $0.append($1) })
    #expect(late.filter { $0 != "320x240" } == ["\(body.count)", "success"])
    #expect(task.status.state == .finished)
    #expect(task.status.progress?.fraction == 1)
    #expect(task.status.duration != nil)
    #expect((try task.result?.get())?.source == .network)
  }

  @Test("previews reach all subscribers, also late ones; the finished picture is not among them")
  func previews() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { _ in FakeHTTPReply.status(404).held(by: gate) }
    let preview = { @Sendable (tint: Int) in
      Picture(PatternPicture(PixelSize(8, 8), tint: tint).bitmap, isPreview: true)
    }
    let task = fixture.pipeline.task(for: url)
    await gate.arrivals(1)
    // A decoder would report these.
    let load = try #require(fixture.pipeline.loads.first)
    load.progressEvents.report(preview: preview(1))
    load.progressEvents.report(LoadProgress(receivedByteCount: 7, expectedByteCount: 9))
    load.progressEvents.report(preview: preview(2))
    var iterator = task.previews.makeAsyncIterator()
    let response = try #require(await iterator.next())
    #expect(response.picture.isPreview)
    #expect(response.picture.bitmap == preview(2).bitmap)
    #expect(task.currentProgress?.receivedByteCount == 7)
    gate.open()
    #expect(await iterator.next() == nil)
    await #expect(throws: ImageError.self) { try await task.image }
    let late = await task.events.reduce(into: [ImageTask.Event]()) { $0.append($1) }
    guard late.count == 3, case .progress = late[0], case .preview = late[1], case .finished = late[2] else {
      Issue.record("\(late)")
      return
    }
    #expect(task.status.state == .failed)
  }

  @Test("Foundation's progress counts bytes, is complete at the end, and cancels the load")
  func foundationProgress() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let body = try Fixture.photo.data(as: .jpeg)
    let url = try fixture.serve("a.jpg") { $0.dripping(body.count / 2 + 1, through: gate) }
    fixture.pipeline.suspend(.data)
    let task = fixture.pipeline.task(for: url)
    let progress = task.foundationProgress
    #expect(progress === task.foundationProgress)
    #expect(progress.isIndeterminate)
    fixture.pipeline.resume(.data)
    gate.open()
    _ = try await task.image
    #expect(progress.completedUnitCount == Int64(body.count))
    #expect(progress.totalUnitCount == Int64(body.count))

    let held = try fixture.serve("b.jpg") { $0.held(by: Gate()) }
    let other = fixture.pipeline.task(for: held)
    other.foundationProgress.cancel()
    await #expect { try await other.image } throws: { ($0 as? ImageError)?.isCancellation == true }
    #expect(other.status.state == .cancelled)
  }

  @Test("a task has a picture in memory at once")
  func memory() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: url)
    let task = fixture.pipeline.task(for: url)
    #expect((try task.result?.get())?.source == .memory)
    task.cancel()
    #expect(try await task.response.source == .memory)
    #expect(fixture.pipeline.loadCount == 0)
  }

  @Test("a finished task releases all subscribers, and none is notified twice")
  func lifetime() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let url = try fixture.serve("a.jpg") { $0.held(by: gate) }
    weak var weakTask: ImageTask?
    do {
      let task = fixture.pipeline.task(for: url)
      weakTask = task
      await gate.arrivals(1)
    }
    // The job holds its subscribers.
    #expect(weakTask != nil)
    gate.open()
    _ = try await fixture.pipeline.image(for: url)
    try await eventually(fixture.pipeline.loadCount == 0)
    try await eventually(weakTask == nil)
  }

  @Test("timings name the stages that ran, in their order")
  func timings() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Fixture.small)
    let stages = { (response: ImageResponse) in response.timings.entries.map(\.stage) }
    #expect(
      stages(try await fixture.pipeline.response(for: request)) == [
        .network, .wait, .decode, .resize, .total,
      ])
    #expect(stages(try await fixture.pipeline.response(for: request)) == [.total])
    await fixture.pipeline.flush()
    let fresh = fixture.freshPipeline()
    #expect(stages(try await fresh.response(for: request)) == [.read, .wait, .decode, .resize, .total])
  }

  @Test("the bytes of any source; only pictures are stored")
  func data() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let body = try Fixture.photo.data(as: .jpeg)
    #expect(try await fixture.pipeline.data(for: url) == body)
    await fixture.pipeline.flush()
    #expect(try await fixture.pipeline.data(for: url) == body)
    #expect(fixture.client.requests.count == 1)

    let page = Fixture.url("page")
    fixture.client.reply(to: page, with: .ok(Data("<html>".utf8)))
    #expect(try await fixture.pipeline.data(for: page) == Data("<html>".utf8))
    #expect(await fixture.cachedCounts() == (0, 1))
  }

  @Test("a header is read without pixels, also of a picture that is too large to load")
  func header() async throws {
    let fixture = Fixture { $0.decoding.limits.pixelCount = 100 }
    let url = try fixture.serve("a.jpg")
    let header = try await fixture.pipeline.header(for: ImageRequest(url: url))
    #expect(header.size == PixelSize(320, 240))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: url) }
    #expect(fixture.decoder.decodeCount == 0)
  }
}
