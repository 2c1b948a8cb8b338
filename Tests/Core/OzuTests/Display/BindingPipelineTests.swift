import Foundation
import OzuMigration
import OzuTesting
import Testing

@testable import Ozu

@Suite("A view and a real pipeline")
@MainActor
struct BindingPipelineTests {
  @Test(
    "the first view downloads, a second one of the same size has the picture at once; a larger one uses the original"
  )
  func views() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let first = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    #expect(!first.images.setImage(from: url))
    await first.settled()
    #expect(first.shownPicture?.size == PixelSize(40, 30))
    #expect(first.steps.last?.transition == .standard)
    let second = FakeImageView(DisplaySize(20, 15), scale: 2, pipeline: fixture.pipeline)
    #expect(second.images.setImage(from: url))
    #expect(second.steps.count == 1)
    #expect(second.steps.last?.transition == DisplayTransition.none)
    let third = FakeImageView(DisplaySize(80, 60), pipeline: fixture.pipeline)
    third.images.setImage(from: url)
    await third.settled()
    #expect(third.shownPicture?.size == PixelSize(80, 60))
    #expect(fixture.client.requests.count == 1)
    #expect(fixture.pipeline.formats.keys.sorted() == ["auto-40x30-aspectFit", "auto-80x60-aspectFit"])
  }

  @Test(
    "a larger view shows the largest picture of the source in memory until its own is loaded, also where none is made from another",
    arguments: [true, false])
  func otherSize(isDerivationEnabled: Bool) async throws {
    let fixture = Fixture { $0.caching.isDerivationEnabled = isDerivationEnabled }
    let url = try fixture.serve("a.jpg")
    #expect(fixture.pipeline.cachedImage(ofSourceOf: ImageRequest(url: url)) == nil)
    let grey = ImageRequest(url: url, resize: Resize(PixelSize(200, 150)), processors: [.grayscale])
    _ = try await fixture.pipeline.image(for: grey)
    for side in [40, 20] {
      let thumbnail = FakeImageView(DisplaySize(Double(side), Double(side)), pipeline: fixture.pipeline)
      thumbnail.images.setImage(from: url)
      await thumbnail.settled()
    }
    let view = FakeImageView(DisplaySize(160, 120), pipeline: fixture.pipeline)
    view.images.setImage(from: url, options: DisplayOptions { $0.placeholder = .otherSize() })
    guard case .placeholder(let standIn)? = view.steps.first?.content else {
      Issue.record("no placeholder")
      return
    }
    #expect(standIn.size == PixelSize(40, 30))
    await view.settled()
    #expect(view.shownPicture?.size == PixelSize(160, 120))
  }

  @Test("a view that grows after a reload makes its larger picture of the bytes that the reload brought")
  func growthAfterReload() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    // A larger picture from before the reload, which must not return.
    let large = FakeImageView(DisplaySize(80, 60), pipeline: fixture.pipeline)
    large.images.setImage(from: url)
    await large.settled()
    let new = PatternPicture(PixelSize(320, 240), tint: 6)
    try fixture.serve("a.jpg", new)
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    view.images.setImage(ImageRequest(url: url, cachePolicy: .reload))
    await view.settled()
    view.layOut(DisplaySize(80, 60))
    try await eventually(view.shownPicture?.size == PixelSize(80, 60))
    #expect(new.resembles(try #require(view.shownPicture).bitmap))
    #expect(fixture.client.requests.count == 2)
  }

  @Test("a reused view whose next picture cannot be loaded is empty")
  func reuseAndFailure() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let missing = Fixture.url("missing.jpg")
    fixture.client.reply(to: missing, with: .status(404))
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    view.images.setImage(from: url)
    await view.settled()
    view.images.setImage(from: missing)
    #expect(view.shown.bitmap == nil)
    await view.settled()
    #expect(view.shown.bitmap == nil)
    view.images.setImage(from: url)
    #expect(view.shownPicture != nil)
    view.images.setImage(from: nil)
    #expect(view.shown.bitmap == nil)
  }

  @Test(
    "a person's retry asks the origin in spite of a remembered failure; setting the same picture does not")
  func retry() async throws {
    let fixture = Fixture()
    let (url, mirror) = (Fixture.url("a.jpg"), Fixture.url("mirror.jpg"))
    fixture.client.reply(to: url, with: .status(404))
    fixture.client.reply(
      to: mirror, with: [.status(403), .status(403), .ok(try Fixture.photo.data(as: .jpeg))])
    let request = ImageRequest(url: url).with { $0.alternatives = [.url(mirror)] }
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    for _ in 0..<2 {
      view.images.setImage(request)
      await view.settled()
    }
    #expect(fixture.client.requests.count == 2)
    for (count, isShown) in [(4, false), (6, true)] {
      view.images.retry()
      await view.settled()
      #expect(fixture.client.requests.count == count)
      #expect((view.shownPicture != nil) == isShown)
    }
  }

  @Test("a picture that is smaller than its view keeps its size, unless the app wants it enlarged")
  func smallPicture() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let own = try await fixture.pipeline.image(for: url).size
    let view = FakeImageView(DisplaySize(1920, 1080), scale: 2, pipeline: fixture.pipeline)
    view.images.setImage(from: url)
    await view.settled()
    #expect(view.shownPicture?.size == own)
    view.images.options.automaticFormat.allowsUpscaling = true
    view.images.setImage(from: url)
    await view.settled()
    #expect(view.shownPicture?.size.height == 2160)
  }

  /// How an app sets a picture by its key: through the binding, or through its view.
  enum Caller: CaseIterable {
    case binding
    case view

    @MainActor
    func setImage(of view: FakeImageView, key: String?) {
      switch self {
      case .binding: view.images.setImage(from: nil, key: key)
      case .view: Presenter(images: view.images).setImage(from: nil, key: key)
      }
    }
  }

  private struct Presenter: ImagePresenting {
    let images: ImageBinding
  }

  @Test(
    "a view with only a key does not make a load with a URL fail",
    arguments: Caller.allCases)
  func keyAlone(caller: Caller) async throws {
    let fixture = Fixture { $0.network.concurrentFetches = 1 }
    let gate = Gate()
    // Takes the only place among the downloads.
    let other = fixture.pipeline.task(for: try fixture.serve("other.jpg") { $0.held(by: gate) })
    await gate.arrivals(1)
    let url = try fixture.serve("a.jpg")
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    caller.setImage(of: view, key: "avatar")
    let avatar = fixture.pipeline.task(for: ImageRequest(url: url, cacheKey: "avatar"))
    try await eventually(fixture.pipeline.waitingCount(on: .data) >= 1)
    gate.open()
    #expect(try await avatar.image.size == PixelSize(320, 240))
    await view.settled()
    guard case .failed(.notCached) = view.images.phase else {
      Issue.record("\(view.images.phase)")
      return
    }
    _ = try await other.image
    caller.setImage(of: view, key: "avatar")
    await view.settled()
    #expect(view.shownPicture?.size == PixelSize(40, 30))
    #expect(fixture.client.requestCount(for: url) == 1)
  }

  @Test("a view without a URL and a key reports no failure", arguments: Caller.allCases)
  func nothing(caller: Caller) {
    let view = FakeImageView(DisplaySize(40, 30), pipeline: Fixture().pipeline)
    caller.setImage(of: view, key: nil)
    #expect(view.images.request == nil)
    guard case .empty = view.images.phase else {
      Issue.record("\(view.images.phase)")
      return
    }
  }

  @Test("a preview in memory is not taken for the picture")
  func previewInMemory() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg")
    let request = ImageRequest(url: url, resize: Resize(PixelSize(40, 30)))
    fixture.pipeline.cache[request] = Picture(Fixture.photo.bitmap, isPreview: true)
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    #expect(!view.images.setImage(request))
    await view.settled()
    #expect(view.shownPicture?.isPreview == false)
    #expect(fixture.client.requests.count == 1)
  }

  @Test("a file, a picture with a key, a fetcher, and a key without a URL")
  func sources() async throws {
    let fixture = Fixture()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    let file = FileManager.default.temporaryDirectory.appending(path: "ozu-binding-\(UUID()).jpg")
    try Fixture.photo.data(as: .jpeg).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    view.images.setImage(fromFile: file.path(percentEncoded: false))
    await view.settled()
    #expect(view.shownPicture?.size == PixelSize(40, 30))
    view.images.setImage(Picture(Fixture.photo.bitmap), key: "own")
    await view.settled()
    #expect(view.shownPicture?.size == PixelSize(40, 30))
    #expect(view.images.setImage(from: nil, key: "own"))
    view.images.setImage(from: SimpleFetcher(Picture(Fixture.photo.bitmap), key: "fetched"))
    await view.settled()
    #expect(view.steps.count == 7)
    let failures = Shared<[String]>([])
    view.images.setImage(
      from: nil, key: "nobody", failure: { error in failures.change { $0.append(error.explanation) } })
    await view.settled()
    #expect(failures.value == ["not in the caches"])
    #expect(fixture.client.requests.isEmpty)
  }

  @Test("the short calls of a view reach its binding, with their formats and failure pictures")
  func shortCalls() async throws {
    let fixture = Fixture()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    let presenter = Presenter(images: view.images)
    presenter.cacheFormat = CacheFormat("own", size: PixelSize(20, 15))
    #expect(presenter.cacheFormat === view.images.cacheFormat)
    presenter.setImage(Picture(Fixture.photo.bitmap), key: "own")
    await view.settled()
    #expect(view.shownPicture?.size == PixelSize(20, 15))
    presenter.setImage(
      from: SimpleFetcher(Picture(Fixture.photo.bitmap), key: "fetched"),
      format: CacheFormat("other", size: PixelSize(16, 12)))
    await view.settled()
    #expect(view.shownPicture?.size == PixelSize(16, 12))
    presenter.setImage(fromFile: "/no/such/file", failureImage: Stage.picture(1))
    await view.settled()
    guard case .failure = view.shown else {
      Issue.record("\(view.shown)")
      return
    }
    let gate = Gate()
    presenter.setImage(from: try fixture.serve("a.jpg") { $0.held(by: gate) })
    presenter.cancelSetImage()
    gate.open()
    guard case .cancelled = view.images.phase else {
      Issue.record("\(view.images.phase)")
      return
    }
  }

  @Test("a closure behind the call, without a label, is told of the end, and the view shows the picture")
  func trailingClosure() async throws {
    let fixture = Fixture()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    let url = try fixture.serve("a.jpg")
    var ends = 0
    Presenter(images: view.images).setImage(from: url) { _ in ends += 1 }
    await view.settled()
    #expect(ends == 1 && view.shownPicture != nil)
    await fixture.pipeline.removeAllImages()
    view.images.setImage(from: try fixture.serve("b.jpg")) { _ in ends += 1 }
    await view.settled()
    #expect(ends == 2 && view.shownPicture != nil)
  }

  @Test("a picture that cannot be loaded shows the failure picture")
  func failure() async throws {
    let fixture = Fixture()
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    view.images.options.failurePicture = Stage.picture(1)
    view.images.setImage(from: Fixture.url("missing"))
    await view.settled()
    guard case .failure = view.shown else {
      Issue.record("\(view.shown)")
      return
    }
  }

  @Test(
    "a view that is reused while its download runs shows the second picture alone, and the first download ends"
  )
  func reuse() async throws {
    let fixture = Fixture()
    let gate = Gate()
    let first = Fixture.url("a.jpg")
    fixture.client.reply(to: first, with: .ok(try Fixture.photo.data(as: .jpeg)).held(by: gate))
    let second = try fixture.serve("b.jpg", PatternPicture(PixelSize(320, 240), tint: 6))
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    view.images.setImage(from: first)
    await gate.arrivals(1)
    view.images.setImage(from: second)
    await view.settled()
    try await eventually(fixture.client.cancelledCount != 0)
    gate.open()
    #expect(view.steps.count == 3)
    let picture = try #require(view.shownPicture)
    #expect(PatternPicture(PixelSize(320, 240), tint: 6).resembles(picture.bitmap))
  }

  @Test("progress comes before the picture")
  func progress() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("a.jpg") { $0.inPieces(of: 500) }
    let view = FakeImageView(DisplaySize(40, 30), pipeline: fixture.pipeline)
    var told: [String] = []
    view.onShow = { if $0.content.bitmap != nil { told.append("picture") } }
    view.images.setImage(from: url, progress: { _ in told.append("progress") })
    await view.settled()
    #expect(told.last == "picture")
    #expect(told.first == "progress")
  }
}
