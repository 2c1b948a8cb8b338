import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Zooming a picture of any size")
@MainActor
struct ZoomModelTests {
  /// A model, its scripted loader, and the invariants of the model.
  @MainActor
  struct Play {
    let script = ScriptedLoading()
    let model: ZoomModel
    let size = PixelSize(20_000, 16_000)
    var header: ImageHeader

    init(type: ImageType = .jpeg, byteBudget: Int = 8 << 20) {
      header = ImageHeader(type: type, storedSize: size)
      header.hasParts = type == .jpeg
      model = ZoomModel(loader: script)
      model.byteBudget = byteBudget
      model.wholeByteBudget = 1 << 20
      model.resize(to: PixelSize(1000, 800))
    }

    var live: [ScriptedLoading.Load] { script.live }

    /// The parts of the file whose loads are running.
    var parts: [PixelRectangle] {
      live.compactMap { load in
        if case .picture = load.request.source { nil } else { load.request.region }
      }
    }

    func answer(_ load: ScriptedLoading.Load, number: Int = 0) {
      var source = size
      if case .picture(let kept, _) = load.request.source { source = kept.size }
      let size = ResizeGeometry(source: source, resize: load.request.resize).outputSize
      load.finish(Picture(PatternPicture(size, tint: number % 7).bitmap, header: header))
    }

    func begin(_ name: String = "a.jpg") throws {
      model.setImage(ImageRequest(url: Stage.url(name)))
      answer(try #require(live.last))
    }
  }

  @Test("loads the whole picture at the size of the view, then the visible squares, the middle first")
  func squares() throws {
    let play = Play()
    try play.begin()
    #expect(play.script.loads[0].request.resize == Resize(PixelSize(1000, 800)))
    #expect(play.model.layers.count == 1 && play.live.isEmpty)
    play.model.change { $0.zoom(to: 1, at: (500, 400)) }
    // Columns 18 to 20 and rows 14 to 16.
    #expect(play.parts.count == 9)
    let first = try #require(play.parts.first)
    #expect(abs(first.x + 256 - 10_000) <= 512 && abs(first.y + 256 - 8_000) <= 512)
    #expect(first.size == PixelSize(512, 512))
    #expect(play.model.isLoading)
    for load in play.live { play.answer(load) }
    #expect(play.model.layers.count == 10 && !play.model.isLoading)
  }

  @Test("parts are not loaded one by one where each would be a download of the file")
  func withoutOriginals() throws {
    let play = Play()
    play.script.keepsOriginals = false
    try play.begin()
    play.model.change { $0.zoom(to: 1, at: (500, 400)) }
    #expect(play.live.count == 1)
  }

  @Test("a file is kept by a store, unless there is none or the request writes to none or reads from none")
  func keepsOriginal() {
    let web = ImageRequest(url: Stage.url("a.jpg"))
    let file = ImageRequest(url: URL(filePath: "/a.jpg"))
    let stored = PipelineLoading(pipeline: .testing())
    let unstored = PipelineLoading(pipeline: .testing { $0.caching.diskStorage = .none })
    #expect(stored.keepsOriginal(of: web) && !unstored.keepsOriginal(of: web))
    #expect(!stored.keepsOriginal(of: web.with { $0.cachePolicy = .bypass }))
    #expect(!stored.keepsOriginal(of: web.with { $0.storagePolicy = .encodedImages }))
    #expect(!stored.keepsOriginal(of: web.with { $0.readLayers = .memory }))
    #expect(stored.keepsOriginal(of: web.with { $0.cachePolicy = .reload }))
    #expect(unstored.keepsOriginal(of: file))
  }

  @Test("a file is kept by no store while its origin forbids it")
  func unstorable() async throws {
    let fixture = Fixture()
    let loading = PipelineLoading(pipeline: fixture.pipeline)
    let request = ImageRequest(url: try fixture.serve("a.jpg") { $0.header("Cache-Control", "no-store") })
    #expect(loading.keepsOriginal(of: request))
    _ = try await fixture.pipeline.image(for: request)
    #expect(!loading.keepsOriginal(of: request))
    _ = try fixture.serve("a.jpg")
    _ = try await fixture.pipeline.image(for: request)
    #expect(loading.keepsOriginal(of: request))
  }

  @Test("a reload is made once, and not again for each square")
  func reload() throws {
    let play = Play()
    play.model.setImage(ImageRequest(url: Stage.url("a.jpg"), cachePolicy: .reload))
    let whole = try #require(play.live.last)
    #expect(whole.request.cachePolicy == .reload)
    play.answer(whole)
    play.model.change { $0.zoom(to: 1, at: (500, 400)) }
    #expect(play.parts.count == 9)
    #expect(play.live.allSatisfy { $0.request.cachePolicy == .useCaches })
    #expect(play.live.allSatisfy { $0.request.readLayers == .originals })
  }

  @Test("the whole picture is loaded again for a view that became higher")
  func higher() throws {
    let play = Play()
    play.model.resize(to: PixelSize(1000, 400))
    try play.begin()
    play.model.resize(to: PixelSize(1000, 800))
    #expect(play.live.contains { $0.request.resize == Resize(PixelSize(1000, 800)) })
  }

  @Test("the whole picture is not loaded again for a view in which it has no more pixels")
  func lower() throws {
    let script = ScriptedLoading()
    let model = ZoomModel(loader: script)
    model.resize(to: PixelSize(400, 800))
    model.setImage(ImageRequest(url: Stage.url("a.jpg")))
    let header = ImageHeader(type: .jpeg, storedSize: PixelSize(1000, 2000))
    try #require(script.live.last).finish(Picture(PatternPicture(PixelSize(400, 800)).bitmap, header: header))
    for size in [PixelSize(800, 400), PixelSize(900, 800)] {
      model.resize(to: size)
      #expect(script.loads.count == 1)
    }
  }

  @Test("a picture that its steps have turned has the proportions of the result, at every size")
  func turned() throws {
    let script = ScriptedLoading()
    let model = ZoomModel(loader: script)
    model.resize(to: PixelSize(1000, 800))
    model.setImage(ImageRequest(url: Stage.url("a.jpg"), processors: [.gaussianBlur(radius: 4)]))
    func answer(_ size: PixelSize) throws {
      let header = ImageHeader(type: .jpeg, storedSize: PixelSize(2000, 1500))
      try #require(script.live.last).finish(Picture(PatternPicture(size).bitmap, header: header))
    }
    try answer(PixelSize(750, 1000))
    #expect(model.geometry?.pictureSize == PixelSize(1500, 2000))
    model.change { $0.zoom(to: 1, at: (500, 400)) }
    // The file lies on its side.
    #expect(script.live.last?.request.resize == Resize(PixelSize(2000, 1500)))
    try answer(PixelSize(1540, 2000))
    #expect(model.geometry?.pictureSize == PixelSize(1500, 2000) && model.geometry?.scale == 1)
  }

  @Test("squares that are no longer visible are cancelled, and loaded again when they return")
  func leaving() throws {
    let play = Play()
    try play.begin()
    play.model.change { $0.zoom(to: 1, at: (500, 400)) }
    let before = play.parts
    play.model.change { $0.move(by: (5000, 5000)) }
    #expect(Set(play.parts).isDisjoint(with: before))
    play.model.change { $0.move(by: (-5000, -5000)) }
    #expect(Set(play.parts) == Set(before))
    play.model.change { $0.fit() }
    #expect(play.parts.isEmpty)
  }

  @Test(
    "an error of the whole picture is reported and can be retried; one of a square leaves the whole picture")
  func failures() throws {
    let play = Play()
    play.model.setImage(ImageRequest(url: Stage.url("a.jpg")))
    try #require(play.live.last).fail(.emptyData("a"))
    #expect(play.model.failure != nil && play.model.layers.isEmpty)
    play.model.retry()
    #expect(play.model.failure == nil)
    play.answer(try #require(play.live.last))
    play.model.change { $0.zoom(to: 1, at: (500, 400)) }
    for load in play.live { load.fail(.emptyData("a")) }
    #expect(play.model.layers.count == 1 && play.model.failure == nil && !play.model.isLoading)
    let count = play.script.loads.count
    play.model.change { $0.move(by: (1, 1)) }
    #expect(play.script.loads.count == count)
  }

  @Test("a load that fails after a preview has failed, until it is retried")
  func failureAfterPreview() throws {
    let play = Play()
    play.model.setImage(ImageRequest(url: Stage.url("a.jpg")))
    let load = try #require(play.live.last)
    load.preview(
      Picture(PatternPicture(PixelSize(1000, 800)).bitmap, header: play.header, isPreview: true))
    load.fail(.emptyData("a"))
    #expect(play.model.failure != nil && play.model.layers.count == 1 && !play.model.isLoading)
    play.model.resize(to: PixelSize(1100, 800))
    #expect(play.model.failure != nil && play.script.loads.count == 1)
    play.model.retry()
    play.answer(try #require(play.live.last))
    #expect(play.model.failure == nil && play.model.layers.count == 1)
  }

  @Test(
    "random zooming, moving, answers and other pictures",
    arguments: Cases.every(2, of: Array(0..<6 as Range<UInt64>)))
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let play = Play(type: seed % 3 == 0 ? .png : .jpeg)
    try play.begin()
    var shown = 0
    for step in 0..<Cases.count(80, of: 250) {
      func point() -> (x: Double, y: Double) {
        (.random(in: 0...1000, using: &random), .random(in: 0...800, using: &random))
      }
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<5: play.model.change { $0.zoom(by: .random(in: 0.3...3, using: &random), at: point()) }
      case 5..<10:
        play.model.change {
          $0.move(by: (.random(in: -900...900, using: &random), .random(in: -900...900, using: &random)))
        }
      case 10..<16:
        if let load = play.live.randomElement(using: &random) { play.answer(load, number: step) }
      case 16: play.live.randomElement(using: &random)?.fail(.emptyData("a"))
      case 17: play.model.resize(to: PixelSize(.random(in: 1...1200, using: &random), 700))
      case 18: play.model.change { $0.toggle(at: point()) }
      default:
        if step % 7 == 0 { play.model.setImage(ImageRequest(url: Stage.url("\(step % 3).jpg"))) }
      }
      guard let geometry = play.model.geometry else { continue }
      let visible = Set(ZoomTile.visible(in: geometry).map { $0.region(of: geometry.pictureSize) })
      // For other files one part is decoded at a time, and squares are cut from it.
      #expect(
        seed % 3 == 0 ? play.parts.count <= 1 : Set(play.parts).isSubset(of: visible),
        "seed \(seed), step \(step): a square out of sight is loaded")
      #expect(
        Set(play.parts).count == play.parts.count, "seed \(seed), step \(step): a square is loaded twice")
      if let kept = play.model.keeping.kept {
        #expect(kept.picture.bitmap.byteCount <= play.model.wholeByteBudget && play.model.keeping.load == nil)
      }
      let layers = play.model.layers
      shown = max(shown, layers.count)
      // The coarsest first, and each in its place.
      let scales = layers.map { Double($0.picture.size.width) / $0.region.width }
      // Rounded up to whole pixels at the edges of the picture.
      let squareScales = scales.dropFirst()
      #expect(zip(squareScales, squareScales.dropFirst()).allSatisfy { $0 <= $1 * 1.1 })
      let inSight = geometry.visible
      let squares = layers.dropFirst()
      let bytes = squares.reduce(0) { $0 + $1.picture.bitmap.byteCount }
      let seenBytes =
        Int(4 * (inSight.width * geometry.scale + 2048) * (inSight.height * geometry.scale + 2048)) * 4
      #expect(bytes <= play.model.byteBudget + seenBytes, "seed \(seed), step \(step)")
    }
    #expect(shown > (seed % 3 == 0 ? 1 : 4))
  }
}
