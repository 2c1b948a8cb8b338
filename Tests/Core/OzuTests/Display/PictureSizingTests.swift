import OzuTesting
import Testing

@testable import Ozu

@Suite("A view that takes the size of its picture")
@MainActor
struct PictureSizingTests {
  /// A view that is as wide as its layout wants, and as high as its content, as an image view under Auto Layout is.
  final class SizedView: ImageDisplaying {
    var sizing = PictureSizing()
    var width: Double?
    private(set) var bounds = DisplaySize(0, 0)
    private(set) var content: DisplaySize?
    lazy var images = ImageBinding(
      self, pipeline: ImagePipeline { $0.caching.diskStorage = .none }, loader: script)
    let script = ScriptedLoading()

    var displaySize: DisplaySize? { sizing.size(bounds) }
    let displayScale = 2.0
    var displayMode: ScaleMode { sizing.mode(.aspectFill) }

    init(width: Double?) { self.width = width }

    func show(_ content: DisplayContent, transition: DisplayTransition) {
      self.content = content.bitmap.map { DisplaySize(Double($0.size.width) / 2, Double($0.size.height) / 2) }
    }

    func reserve(_ size: PixelSize) { content = DisplaySize(Double(size.width) / 2, Double(size.height) / 2) }

    func layout(height: Double? = nil) {
      bounds = DisplaySize(width ?? content?.width ?? 0, height ?? content?.height ?? 0)
      sizing.layoutDidChange(bounds, content: content)
      images.layoutDidChange()
    }
  }

  private func picture(_ width: Int, _ height: Int) -> Picture {
    Picture(Bitmap(size: PixelSize(width, height), isOpaque: true) { _, _ in .white })
  }

  @Test("loads it as wide as the view, as high as the picture makes it, and once")
  func height() {
    let view = SizedView(width: 300)
    view.images.setImage(from: Stage.url("a"))
    view.layout()
    #expect(view.script.loads.count == 1)
    #expect(view.script.loads[0].request.format?.size.width == 600)
    #expect(view.script.loads[0].request.format?.mode == .aspectFit)
    view.reserve(PixelSize(600, 401))
    view.layout()
    view.script.loads[0].finish(picture(600, 401))
    view.layout()
    #expect(view.bounds == DisplaySize(300, 200.5))
    #expect(view.script.loads.count == 1)
    // A layout rounds to the screen's pixels or to points.
    view.layout(height: 201)
    #expect(view.sizing.followsHeight && view.script.loads.count == 1)
    // A cell that is reused.
    view.images.setImage(from: Stage.url("b"))
    view.layout()
    #expect(view.script.loads.count == 2 && view.sizing.followsHeight)
    // A view that grows asks for a larger one.
    view.script.loads[1].finish(picture(600, 300))
    view.width = 400
    view.layout()
    #expect(view.script.loads.count == 3)
    #expect(view.script.loads[2].request.format?.size.width == 800)
  }

  @Test("loads it in its own size if the layout gives none")
  func both() {
    let view = SizedView(width: nil)
    view.images.setImage(from: Stage.url("a"))
    #expect(view.script.loads.isEmpty)
    view.layout()
    #expect(view.script.loads.count == 1 && view.script.loads[0].request.format == nil)
    view.script.loads[0].finish(picture(90, 60))
    view.layout()
    #expect(view.bounds == DisplaySize(45, 30) && view.script.loads.count == 1)
  }

  @Test("has its own size again when a layout gives it one")
  func ownSize() {
    let view = SizedView(width: 300)
    view.images.setImage(from: Stage.url("a"))
    view.layout()
    view.script.loads[0].finish(picture(600, 400))
    view.layout(height: 120)
    #expect(!view.sizing.isFollowing && view.displayMode == .aspectFill)
    #expect(view.displaySize == DisplaySize(300, 120))
  }

  @Test("a view with a size of its own never takes that of its content, also if they are equal")
  func imposed() {
    var sizing = PictureSizing()
    sizing.layoutDidChange(DisplaySize(44, 44), content: nil)
    sizing.layoutDidChange(DisplaySize(44, 44), content: DisplaySize(44, 44))
    #expect(!sizing.isFollowing && sizing.mode(.fill) == .fill)
  }
}
