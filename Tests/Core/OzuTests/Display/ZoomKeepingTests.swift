import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("Zooming a picture whose parts are not decoded alone")
@MainActor
struct ZoomKeepingTests {
  @Test("the finest whole that fits is decoded once, and serves its level and all that are coarser")
  func budget() throws {
    let play = Play()
    play.begin()
    play.zoom(to: 0.02)
    let load = try #require(play.decodes.last)
    // 2,500 x 2,000 pixels would take 20 MB.
    #expect(load.request.resize == Resize(PixelSize(1250, 1000), mode: .fill))
    #expect(load.request.writeLayers == .originals && play.cuts.isEmpty && play.model.isLoading)
    play.answerAll()
    #expect(play.model.layers.count > 1 && !play.model.isLoading)
    let count = play.decodeCount
    for scale in [0.03, 0.0625, 0.05, 0.011, 0.06] {
      play.zoom(to: scale)
      play.answerAll()
      #expect(play.model.layers.count > 1 && !play.model.isLoading, "at \(scale)")
    }
    #expect(play.decodeCount == count && count == 2)
  }

  @Test("at finer levels a part is decoded and kept, as large as the budget, until the view leaves it")
  func parts() throws {
    let play = Play(byteBudget: 12 << 20)
    play.begin()
    play.zoom(to: 1)
    let load = try #require(play.decodes.last)
    let part = try #require(load.request.region)
    #expect(part.size == PixelSize(1536, 1536))
    #expect(part.x % 512 == 0 && part.y % 512 == 0)
    play.answerAll()
    #expect(play.model.layers.count > 1 && !play.model.isLoading)
    let count = play.decodeCount
    play.model.change { $0.move(by: (100, 50)) }
    play.answerAll()
    #expect(play.decodeCount == count)
    play.model.change { $0.move(by: (5000, 0)) }
    // Two parts are never in memory at the same time.
    #expect(play.model.keeping.kept == nil && play.decodes.count == 1)
    play.answerAll()
    #expect(play.decodeCount == count + 1 && play.model.layers.count > 1)
  }

  @Test("if parts fail, the finest whole picture is enlarged; if that fails too, the current picture stays")
  func failures() throws {
    let play = Play()
    play.begin()
    play.zoom(to: 1)
    try #require(play.decodes.last).fail(.emptyData("a"))
    let whole = try #require(play.decodes.last)
    #expect(whole.request.resize == Resize(PixelSize(1250, 1000), mode: .fill))
    play.answerAll()
    #expect(play.model.layers.count > 1 && !play.model.isLoading)
    play.model.giveMemoryBack()
    play.model.change { $0.move(by: (9000, 0)) }
    try #require(play.decodes.last).fail(.emptyData("a"))
    #expect(!play.model.isLoading && play.model.failure == nil && !play.model.layers.isEmpty)
    let count = play.script.loads.count
    play.model.change { $0.move(by: (-9000, 0)) }
    #expect(play.script.loads.count == count, "what has failed is not asked for again")
    play.model.change { $0.fit() }
    play.zoom(to: 1)
    #expect(play.script.loads.count == count + 1, "but anew, once the whole was seen")
  }

  @Test("a picture of another size than requested is not cut")
  func another() throws {
    let play = Play()
    play.begin()
    play.zoom(to: 0.02)
    let header = ImageHeader(type: .png, storedSize: PixelSize(30, 30))
    try #require(play.decodes.last).finish(
      Picture(PatternPicture(PixelSize(30, 30)).bitmap, header: header))
    #expect(play.model.keeping.kept == nil && play.cuts.isEmpty && !play.model.isLoading)
  }

  @Test("memory pressure releases everything that is not visible; the next square decodes again")
  func pressure() async throws {
    let play = Play()
    play.begin()
    play.zoom(to: 0.06)
    play.answerAll()
    let layers = play.model.layers.count
    #expect(play.model.keeping.kept != nil && layers > 1 && play.pressure.observerCount == 1)
    play.pressure.signal(.warning)
    try await eventually(play.model.keeping.kept == nil)
    #expect(play.model.layers.count == layers && !play.model.isLoading)
    let count = play.decodeCount
    play.model.change { $0.move(by: (1, 0)) }
    #expect(play.decodeCount == count, "squares in sight are there")
    play.model.change { $0.move(by: (600, 0)) }
    play.answerAll()
    #expect(play.decodeCount == count + 1 && play.model.keeping.kept != nil)
  }

  @Test("another picture, and a view that needs no squares, cancel the decode")
  func leaving() throws {
    let play = Play()
    play.begin()
    play.zoom(to: 0.02)
    let load = try #require(play.decodes.last)
    play.model.change { $0.fit() }
    #expect(load.isStopped && !play.model.isLoading)
    play.zoom(to: 0.02)
    play.answerAll()
    play.model.setImage(ImageRequest(url: Stage.url("b.png")))
    #expect(play.model.keeping.kept == nil)
  }

  @Test("a plan fits into the budget and contains the visible part", arguments: 0..<20 as Range<UInt64>)
  func plans(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      func side(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }
      let picture = PixelSize(side(1...60_000), side(1...60_000))
      let view = PixelSize(side(1...4000), side(1...3000))
      var geometry = ZoomGeometry(pictureSize: picture, viewSize: view)
      geometry.zoom(to: .random(in: 0.001...4, using: &random), at: (3, 5))
      geometry.move(by: (Double(side(-9000...9000)), Double(side(-9000...9000))))
      let budget = side((1 << 16)...(200 << 20))
      let mayBePart = Bool.random(using: &random)
      let source = ZoomSource(
        for: geometry, format: .bgra8, byteBudget: budget, mayBePart: mayBePart)
      let words = "seed \(seed): \(picture) in \(view) at \(geometry.scale), \(budget): \(source)"
      #expect(source.size.bitmapByteCount(as: .bgra8) <= budget, "\(words)")
      #expect(mayBePart || source.isWhole, "\(words)")
      for square in ZoomTile.visible(in: geometry, finest: source.level) {
        #expect(source.serves(square, of: picture), "\(words)")
        let resize = source.resize(for: square, of: picture)
        let cut = resize.region ?? PixelRectangle(PixelSize(0, 0))
        #expect(
          cut.x >= 0 && cut.y >= 0 && !cut.size.isEmpty && cut.x + cut.size.width <= source.size.width
            && cut.y + cut.size.height <= source.size.height, "\(words)")
        #expect(
          ResizeGeometry(source: source.size, resize: resize).outputSize
            == ResizeGeometry(source: picture, resize: square.resize(of: picture)).outputSize, "\(words)")
      }
    }
  }

  // MARK: Through a pipeline

  private static let map = PatternPicture(PixelSize(1600, 1200), tint: 3)

  private func settle(_ model: ZoomModel) async throws {
    try await eventually(!model.isLoading && !model.layers.isEmpty)
  }

  @Test(
    "over all levels a file is decoded once for the whole and once for the squares, whose pixels are correct")
  func decodes() async throws {
    let fixture = Fixture()
    let url = try fixture.serve("map.png", Self.map, as: .png)
    let model = ZoomModel(pipeline: fixture.pipeline)
    model.resize(to: PixelSize(160, 120))
    model.setImage(ImageRequest(url: url))
    try await settle(model)
    #expect(fixture.decoder.decodeCount == 1)
    for scale in [0.25, 0.5, 1, 0.3, 2, 0.2] {
      model.change { $0.zoom(to: scale, at: (80, 60)) }
      try await settle(model)
      #expect(model.layers.count > 1, "at \(scale)")
      let (level, full) = (ZoomTile.level(for: scale), PatternPicture(PixelSize(1600, 1200), tint: 3))
      for layer in model.layers.dropFirst() where layer.region.width <= Double(512 << level) {
        let part = PixelRectangle(
          x: Int(layer.region.x), y: Int(layer.region.y), width: Int(layer.region.width),
          height: Int(layer.region.height))
        let resize = Resize(layer.picture.size, mode: .fill, region: part)
        let wanted = Picture(full.bitmap).resized(resize).bitmap
        #expect(layer.picture.bitmap.differs(from: wanted, by: level == 0 ? 0 : 2) == false, "at \(scale)")
      }
    }
    #expect(fixture.decoder.decodeCount == 2)
    #expect(fixture.client.requestCount(for: url) == 1)
    let kept = try #require(model.keeping.kept)
    #expect(kept.picture.size == PixelSize(1600, 1200))
    // The memory cache has only the picture at the size of the view.
    #expect(fixture.pipeline.memoryCacheStatistics.count == 1)
  }

  @Test(
    "a decode that is dropped and begun again in one turn of the main loop is not ended by the end of the first"
  )
  func begunAgain() async throws {
    let fixture = Fixture()
    let model = ZoomModel(pipeline: fixture.pipeline)
    model.resize(to: PixelSize(160, 120))
    model.setImage(ImageRequest(url: try fixture.serve("map.png", Self.map, as: .png)))
    try await settle(model)
    model.change { $0.zoom(to: 1, at: (80, 60)) }
    model.change { $0.fit() }
    model.change { $0.zoom(to: 1, at: (80, 60)) }
    #expect(model.isLoading)
    try await settle(model)
    #expect(model.layers.count > 1)
  }

  @Test("pictures with steps after the resize, and animations, are loaded whole for each level")
  func wholes() throws {
    let play = Play()
    play.model.byteBudget = 8 << 20
    var request = ImageRequest(url: Stage.url("a.png"))
    request.processors = [.gaussianBlur(radius: 4)]
    play.model.setImage(request)
    play.answerAll()
    play.zoom(to: 1)
    let load = try #require(play.decodes.last)
    let size = try #require(load.request.resize?.size)
    #expect(load.request.region == nil && size.width * size.height * 4 <= 8 << 20 && size.width > 200)
    play.answer(load)
    #expect(play.model.layers.count == 1 && !play.model.isLoading)
  }
}

extension Bitmap {
  fileprivate func differs(from other: Bitmap, by tolerance: Int) -> Bool {
    guard size == other.size else { return true }
    return (0..<size.height).contains { y in
      (0..<size.width).contains { x in
        let (own, its) = (self[x, y], other[x, y])
        return abs(Int(own.red) - Int(its.red)) > tolerance
          || abs(Int(own.green) - Int(its.green)) > tolerance
          || abs(Int(own.blue) - Int(its.blue)) > tolerance
      }
    }
  }
}
