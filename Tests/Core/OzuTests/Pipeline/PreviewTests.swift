import Dispatch
import Foundation
import OzuBase
import OzuHTTP
import OzuTesting
import Testing

@testable import Ozu

@Suite("A picture is shown while it is downloaded")
struct PreviewTests {
  /// Shows a pattern, for any number of bytes.
  private final class Decoder: ProgressiveDecoding {
    private let state = Mutex((byteCount: 0, previewCount: 0))

    var byteCount: Int { state.withLock { $0.byteCount } }
    var previewCount: Int { state.withLock { $0.previewCount } }

    func append(_ data: Data) { state.withLock { $0.byteCount += data.count } }

    func preview(context: DecodingContext) throws(ImageDecodingError) -> Picture? {
      state.withLock { $0.previewCount += 1 }
      try context.checkpoint()
      return Picture(PatternPicture(PixelSize(32, 24), tint: 1).bitmap, isPreview: true)
    }
  }

  private let decoder = Decoder()
  private let gate = Gate()

  private func fixture(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) -> Fixture {
    let decoder = decoder
    return Fixture {
      $0.decoding.isProgressiveDecodingEnabled = true
      $0.decoding.makeProgressiveDecoder = { _, _ in decoder }
      configure(&$0)
    }
  }

  /// Serves a picture whose bytes come when the gate opens; its file continues after the picture.
  private func serve(
    _ fixture: Fixture, _ change: (FakeHTTPReply) -> FakeHTTPReply = { $0 }
  ) throws -> URL {
    let url = Fixture.url("a.jpg")
    let body = try Fixture.photo.data(as: .jpeg) + Data(count: 20_000)
    fixture.client.reply(to: url, with: change(.ok(body).dripping(2000, through: gate)))
    return url
  }

  @Test("previews of a real file are reported to the subscribers of the task, then the whole picture")
  func realFile() async throws {
    // The fixture's counting decoder makes no previews.
    let fixture = Fixture {
      $0.decoding.isProgressiveDecodingEnabled = true
      $0.decoding.codecs = ImagePipeline.Configuration().decoding.codecs
    }
    let pattern = PatternPicture(PixelSize(640, 480), tint: 2)
    let body = try pattern.data(as: .jpeg)
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(body).dripping(body.count / 2, through: gate))
    let task = fixture.pipeline.task(for: ImageRequest(url: url))
    var previews = task.previews.makeAsyncIterator()
    await gate.arrivals(1)
    gate.admit()
    let preview = try #require(await previews.next())
    #expect(preview.picture.isPreview)
    #expect(preview.picture.size == PixelSize(640, 480))
    gate.open()
    let picture = try await task.image
    #expect(!picture.isPreview)
    #expect(pattern.resembles(picture.bitmap))
  }

  enum Kind: Sendable, CaseIterable {
    case plain, profile, hooks, outside
  }

  @Test(
    "previews follow the request's own recipe: its colours, its region, and closures that see finished pictures alone",
    arguments: Kind.allCases)
  func recipe(_ kind: Kind) async throws {
    let fixture = Fixture {
      $0.decoding.isProgressiveDecodingEnabled = true
      $0.decoding.codecs = ImagePipeline.Configuration().decoding.codecs
    }
    let profile = try Data(contentsOf: Repository.fixture("icc/display-p3-two-segments-reversed.jpg"))
    let url = Fixture.url("a.jpg")
    fixture.client.reply(to: url, with: .ok(profile).dripping(profile.count * 9 / 10, through: gate))
    let calls = Shared(0)
    var request = ImageRequest(url: url)
    switch kind {
    case .plain: break
    case .profile: request.colorPolicy = .keepProfile
    case .hooks:
      request = request.inFormat(
        CacheFormat("hooked", size: PixelSize(32, 24)) {
          $0.postResize = { _, picture in
            calls.change { $0 += 1 }
            return picture
          }
        })
    case .outside:
      request.resize = Resize(PixelSize(8, 8), region: PixelRectangle(x: 9000, y: 0, width: 8, height: 8))
    }
    let task = fixture.pipeline.task(for: request)
    let collector = Task { () -> [Picture] in
      var pictures: [Picture] = []
      for await preview in task.previews { pictures.append(preview.picture) }
      return pictures
    }
    await gate.arrivals(1)
    gate.admit()
    await gate.arrivals(2)
    if kind == .plain || kind == .profile {
      try await eventually(fixture.pipeline.cachedImage(for: request)?.isPreview == true)
    }
    gate.open()
    _ = try? await task.image
    let outcome = try #require(task.result)
    let previews = await collector.value
    switch kind {
    case .plain, .profile:
      let final = try outcome.get().picture
      #expect(previews.count >= 1)
      #expect(previews.allSatisfy { $0.bitmap.colorSpace == final.bitmap.colorSpace })
      #expect((final.bitmap.colorSpace == .sRGB) == (kind == .plain))
    case .hooks: #expect(try outcome.get().picture.size.width <= 32 && previews.isEmpty && calls.value == 1)
    case .outside:
      #expect(throws: ImageError.self) { try outcome.get() }
      #expect(previews.isEmpty)
    }
  }

  @Test("previews are made as bytes arrive, one at a time, and none after the end")
  func previews() async throws {
    let fixture = fixture()
    let step = CountingStep("a")
    let url = try serve(fixture)
    let request = ImageRequest(url: url, resize: Fixture.small, processors: [step])
    let task = fixture.pipeline.task(for: request)
    await gate.arrivals(1)
    gate.admit()
    try await eventually(fixture.pipeline.cachedImage(for: request)?.isPreview == true)
    #expect(decoder.previewCount == 1)
    #expect(step.runCount == 1)
    // A view that joins the load does not begin with it as its picture, and it is not the result.
    #expect(await fixture.pipeline.cachedImage(for: request, in: nil, scale: 1, mode: .none) == nil)
    #expect(!fixture.pipeline.cache.contains(request, layers: .memory))

    // While one waits no other begins, and it is cancelled when the file is complete.
    fixture.pipeline.suspend(.decode)
    gate.admit(2)
    await gate.arrivals(4)
    await fixture.pipeline.waiting(1, for: .decode)
    #expect(fixture.pipeline.waitingCount(on: .decode) == 1)
    gate.open()
    try await eventually(fixture.pipeline.stepCount >= 2)
    // A step exists a moment before it is queued.
    await fixture.pipeline.waiting(1, for: .decode)
    #expect(fixture.pipeline.waitingCount(on: .decode) == 1)
    fixture.pipeline.resume(.decode)
    let response = try await task.response
    #expect(!response.picture.isPreview)
    #expect(Fixture.photo.resembles(response.picture.bitmap))
    #expect(fixture.pipeline.cachedImage(for: request)?.isPreview == false)
    #expect(decoder.previewCount == 1)
    #expect(decoder.byteCount == response.encodedByteCount)
  }

  @Test("previews are reported in order, and never as the response")
  func told() async throws {
    let fixture = fixture { $0.caching.isStoringPreviewsInMemoryCache = false }
    let url = try serve(fixture)
    let request = ImageRequest(url: url)
    let previews = Shared<[Bool]>([])
    let task = fixture.pipeline.loadImage(
      for: request, queue: DispatchQueue(label: "previews"),
      preview: { preview in previews.change { $0.append(preview.picture.isPreview) } }, completion: { _ in })
    for number in 1...2 {
      await gate.arrivals(number)
      gate.admit()
      try await eventually(previews.value.count >= number)
    }
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
    gate.open()
    #expect(try await !task.image.isPreview)
    #expect(previews.value.allSatisfy { $0 })
  }

  @Test("the lookups that previews make are not counted")
  func lookups() async throws {
    let fixture = fixture()
    let previews = Shared(0)
    let task = fixture.pipeline.loadImage(
      for: ImageRequest(url: try serve(fixture)), queue: DispatchQueue(label: "previews"),
      preview: { _ in previews.change { $0 += 1 } }, completion: { _ in })
    for number in 1...2 {
      await gate.arrivals(number)
      gate.admit()
      try await eventually(previews.value >= number)
    }
    gate.open()
    _ = try await task.image
    #expect(fixture.pipeline.statistics.memory.hits == 0)
    #expect(fixture.pipeline.statistics.memory.misses == 1)
  }

  @Test("an interrupted download leaves no preview")
  func failure() async throws {
    let fixture = fixture()
    let url = try serve(fixture) { $0.failing(.connectionLost, afterByteCount: 6000) }
    let request = ImageRequest(url: url)
    let task = fixture.pipeline.task(for: request)
    await gate.arrivals(1)
    gate.admit()
    try await eventually(fixture.pipeline.cachedImage(for: request)?.isPreview == true)
    let hits = fixture.pipeline.statistics.memory.hits
    gate.open()
    await #expect(throws: ImageError.self) { try await task.image }
    // A preview that is being made looks into memory too, and that is taken off the count a moment later.
    try await eventually(fixture.pipeline.statistics.memory.hits == hits)
    #expect(fixture.pipeline.cachedImage(for: request) == nil)
  }

  @Test("when a source has failed, a late reader gets no preview of it while the next one is tried")
  func alternative() async throws {
    let (fixture, second) = (fixture(), Gate())
    let mirror = Fixture.url("b.jpg")
    fixture.client.reply(to: mirror, with: .ok(try Fixture.photo.data(as: .jpeg)).held(by: second))
    let url = try serve(fixture) { $0.failing(.connectionLost, afterByteCount: 6000) }
    let task = fixture.pipeline.task(for: ImageRequest(url: url).with { $0.alternatives = [.url(mirror)] })
    var previews = task.previews.makeAsyncIterator()
    await gate.arrivals(1)
    gate.admit()
    _ = try #require(await previews.next())
    gate.open()
    await second.arrivals(1)
    #expect(task.answer.state.withLock { $0.sideState?.preview == nil })
    second.open()
    _ = try await task.image
  }

  @Test("the bytes of a body that is too large for memory are not kept for previews")
  func largeBody() {
    let observer = BodyObserver(byteLimit: 10)
    observer.begin(HTTPResponseHead(status: 200, url: Fixture.url("a.jpg")))
    let (early, late) = (Shared(0), Shared(0))
    _ = observer.listen { data in early.change { $0 += data.count } }
    for _ in 0..<3 { Data(count: 4).withUnsafeBytes { observer.append($0.bytes) } }
    _ = observer.listen { data in late.change { $0 += data.count } }
    Data(count: 1).withUnsafeBytes { observer.append($0.bytes) }
    #expect(early.value == 8)
    #expect(late.value == 0)
  }

  @Test("without the setting there are no previews")
  func off() async throws {
    let fixture = fixture { $0.decoding.isProgressiveDecodingEnabled = false }
    _ = try await fixture.pipeline.image(for: try fixture.serve("a.png", as: .png))
    #expect(decoder.byteCount == 0)
  }
}
