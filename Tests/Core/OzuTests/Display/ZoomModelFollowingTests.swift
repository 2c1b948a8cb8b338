import OzuTesting
import Testing

@testable import Ozu

@Suite("Zooming what a binding loads")
@MainActor
struct ZoomModelFollowingTests {
  private let script = ScriptedLoading()
  private let model: ZoomModel
  private let size = PixelSize(20_000, 16_000)
  private let request = ImageRequest(url: Stage.url("a.jpg"), resize: Resize(PixelSize(1000, 800)))

  init() {
    model = ZoomModel(loader: script)
    model.resize(to: PixelSize(1000, 800))
  }

  private func whole(_ type: ImageType = .jpeg, height: Int = 16_000) -> Picture {
    var header = ImageHeader(type: type, storedSize: PixelSize(20_000, height))
    header.hasParts = type == .jpeg
    return Picture(PatternPicture(PixelSize(1000, height / 20), tint: 1).bitmap, header: header)
  }

  @Test("loads only squares, when it is zoomed")
  func squares() {
    model.follow(.picture(whole()), of: request)
    #expect(model.geometry?.pictureSize == size && model.layers.count == 1)
    #expect(model.isFollowing(request) && model.wholeSize == PixelSize(1000, 800))
    model.change { $0.zoom(to: 1, at: (500, 400)) }
    #expect(!script.live.isEmpty && script.live.allSatisfy { $0.request.region != nil })
    #expect(model.wholeSize == PixelSize(1000, 800))
  }

  @Test("a picture without separate parts stays as it is in the binding, and is loaded again to be cut")
  func kept() throws {
    model.follow(.picture(whole(.png)), of: request)
    model.change { $0.zoom(to: 1, at: (500, 400)) }
    #expect(script.loads.count == 1 && model.wholeSize == PixelSize(1000, 800))
    let load = try #require(script.live.first)
    #expect(load.request.source.key == request.source.key)
  }

  @Test("a picture with steps after the resize is loaded whole")
  func processors() {
    var request = request
    request.processors = [.gaussianBlur(radius: 4)]
    model.follow(.picture(whole()), of: request)
    model.change { $0.zoom(to: 1, at: (500, 400)) }
    #expect(script.loads.isEmpty && model.wholeSize.width > 1000)
  }

  @Test("a placeholder has the position of the picture, and no squares")
  func placeholders() {
    model.follow(.placeholder(whole()), of: request)
    #expect(model.geometry?.pictureSize == size && model.layers.isEmpty && !model.isFollowing(request))
    model.change { $0.zoom(to: 1, at: (500, 400)) }
    model.follow(.preview(whole()), of: request)
    #expect(script.loads.isEmpty && model.geometry?.scale == 1)
    model.follow(.picture(whole()), of: request)
    #expect(model.geometry?.isFitted == true, "another picture than the last is fitted")
  }

  @Test("a larger size of the same picture keeps its position; another request is fitted")
  func sameAndOther() {
    model.follow(.picture(whole()), of: request)
    model.change { $0.zoom(to: 1, at: (500, 400)) }
    let geometry = model.geometry
    model.follow(.picture(whole()), of: request)
    model.follow(.frame(whole()), of: request)
    #expect(model.geometry == geometry)
    let other = ImageRequest(url: Stage.url("b.jpg"))
    #expect(!model.isFollowing(other))
    model.follow(.picture(whole()), of: other)
    #expect(model.geometry?.isFitted == true && script.live.isEmpty && model.isFollowing(other))
  }

  @Test("a preview of another picture, and a newer version of the same, have no squares of the one before")
  func otherPixels() throws {
    func zoomed() throws {
      model.change { $0.zoom(to: 1, at: (500, 400)) }
      try #require(script.live.first).finish(whole())
      #expect(model.layers.count == 2)
    }
    model.follow(.picture(whole()), of: request)
    try zoomed()
    let count = script.loads.count
    model.follow(.picture(whole()), of: request)
    #expect(model.layers.count == 1 && model.geometry?.scale == 1 && script.loads.count > count)
    try #require(script.live.first).finish(whole())
    model.follow(.preview(whole()), of: ImageRequest(url: Stage.url("b.jpg")))
    #expect(model.layers.isEmpty && model.geometry?.isFitted == true && script.live.isEmpty)
  }

  @Test("a newer version of another size has no squares of the one before")
  func otherSize() throws {
    model.follow(.picture(whole()), of: request)
    model.change { $0.zoom(to: 1, at: (500, 400)) }
    try #require(script.live.first).finish(whole())
    #expect(model.layers.count == 2)
    model.follow(.picture(whole(height: 15_900)), of: request)
    model.change { $0.zoom(to: 1, at: (500, 400)) }
    #expect(model.layers.count == 1 && !script.live.isEmpty)
  }

  @Test("empty content and a failure remove the picture", arguments: [true, false])
  func nothing(isFailure: Bool) {
    model.follow(.picture(whole()), of: request)
    model.follow(isFailure ? .failure(whole()) : .nothing, of: request)
    #expect(model.geometry == nil && model.layers.isEmpty && !model.isFollowing(request))
  }
}
