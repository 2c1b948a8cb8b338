import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("The size that a view requests")
@MainActor
struct ImageBindingLayoutTests {
  private static let a = Stage.url("a")

  @Test(
    "the view's points times its scale, in its mode, named for both",
    arguments: [
      (DisplaySize(40, 30), 1.0, ScaleMode.aspectFit, "auto-40x30-aspectFit"),
      (DisplaySize(40, 30), 2.0, .aspectFill, "auto-80x60-aspectFill"),
      (DisplaySize(33.3, 10.1), 3.0, .fill, "auto-100x31-fill"),
      (DisplaySize(100.0 / 3, 10), 3.0, .fill, "auto-100x30-fill"),
    ])
  func automatic(size: DisplaySize, scale: Double, mode: ScaleMode, name: String) throws {
    let stage = Stage(size, scale: scale, mode: mode)
    stage.binding.setImage(from: Self.a)
    let format = try #require(stage.script.loads.first?.request.format)
    #expect(format.name == name)
    #expect(format.mode == mode)
    #expect(!format.options.allowsUpscaling)
    #expect(format.compressionQuality == 0.75)
    #expect(format.diskCapacity == 10 << 20)
    #expect(stage.binding.pipeline.formats[name] != nil)
  }

  @Test("the automatic format can be configured")
  func configured() throws {
    let stage = Stage()
    stage.binding.options.automaticFormat.diskCapacity = 0
    stage.binding.options.automaticFormat.compressionQuality = 0.5
    stage.binding.setImage(from: Self.a)
    let format = try #require(stage.script.loads.first?.request.format)
    #expect(format.diskCapacity == 0 && format.compressionQuality == 0.5)
  }

  @Test("a view that shows pictures at their own size requests the whole picture, and needs no layout")
  func whole() {
    let stage = Stage(nil, mode: .none)
    stage.binding.setImage(from: Self.a)
    #expect(stage.script.loads.first?.request.resize == nil)
    #expect(stage.script.loads.first?.request.format == nil)
  }

  @Test(
    "a view without a size waits for its layout",
    arguments: [
      nil, DisplaySize(0, 0), DisplaySize(0, 10), DisplaySize(-5, 10), DisplaySize(.nan, 10),
      DisplaySize(.infinity, 10), DisplaySize(1e-9, 1e-9), DisplaySize(0.4, 10),
    ])
  func waits(size: DisplaySize?) {
    let stage = Stage(size)
    stage.binding.setImage(from: Self.a, options: DisplayOptions { $0.placeholder = .nothing })
    #expect(stage.script.loads.isEmpty && stage.told == ["nothing"])
    guard case .waitingForLayout = stage.binding.phase else {
      Issue.record("\(stage.binding.phase)")
      return
    }
    stage.binding.layoutDidChange()
    #expect(stage.script.loads.isEmpty)
    stage.view.displaySize = DisplaySize(40, 30)
    stage.script.memory[stage.asked("a").key] = Stage.picture(1)
    stage.binding.layoutDidChange()
    #expect(stage.told == ["nothing", "picture 1"])
  }

  @Test("a view that was cancelled while it waited stays cancelled until it reappears")
  func cancelledWaiting() {
    let stage = Stage(nil)
    stage.binding.setImage(from: Self.a)
    stage.binding.cancel()
    stage.view.displaySize = DisplaySize(40, 30)
    stage.binding.layoutDidChange()
    #expect(stage.script.loads.isEmpty)
    stage.binding.viewDidAppear()
    #expect(stage.script.loads.count == 1)
  }

  @Test("a view with its own format requests it at any size; the format is registered on first use")
  func ownFormat() {
    let stage = Stage(nil)
    let format = CacheFormat("thumbnail", size: PixelSize(320, 240), mode: .aspectFill)
    stage.binding.cacheFormat = format
    #expect(stage.binding.pipeline.formats["thumbnail"] == nil)
    stage.binding.setImage(from: Self.a)
    #expect(stage.binding.pipeline.formats["thumbnail"] === format)
    #expect(stage.script.loads.first?.request.resize?.size == PixelSize(320, 240))
    stage.view.displaySize = DisplaySize(1000, 1000)
    stage.binding.layoutDidChange()
    #expect(stage.script.loads.count == 1)
  }

  @Test("views of one size use one format, whose capacity the app may change")
  func oneFormat() throws {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    let format = try #require(stage.script.loads.first?.request.format)
    format.diskCapacity = 0
    stage.binding.setImage(from: Stage.url("b"))
    #expect(stage.script.loads.last?.request.format === format)
    stage.binding.options.automaticFormat.compressionQuality = 1
    stage.binding.setImage(from: Stage.url("c"))
    #expect(stage.script.loads.last?.request.format !== format)
  }

  @Test("a request with a size of its own keeps it")
  func ownSize() {
    let stage = Stage(nil)
    stage.binding.setImage(ImageRequest(url: Self.a, resize: Resize(PixelSize(7, 7))))
    #expect(stage.script.loads.first?.request.resize?.size == PixelSize(7, 7))
    #expect(stage.script.loads.first?.request.format == nil)
  }

  @Test(
    "a view that grows loads again and keeps its picture until the larger one is loaded, without a fade",
    arguments: [
      (DisplaySize(80, 60), 1.0), (DisplaySize(40, 30), 2.0), (DisplaySize(40, 31), 1.0),
    ])
  func grows(size: DisplaySize, scale: Double) {
    let stage = Stage()
    stage.binding.setImage(from: Self.a, options: DisplayOptions { $0.placeholder = .nothing })
    stage.script.loads[0].finish(Stage.picture(1))
    stage.view.displaySize = size
    stage.view.displayScale = scale
    stage.binding.layoutDidChange()
    stage.binding.layoutDidChange()
    #expect(stage.script.loads.count == 2)
    #expect(stage.told == ["nothing", "picture 1 fade"])
    stage.script.loads[1].finish(Stage.picture(2))
    #expect(stage.told == ["nothing", "picture 1 fade", "picture 2"])
  }

  @Test("a view that shrinks keeps what it has")
  func shrinks() {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    stage.script.loads[0].finish(Stage.picture(1))
    stage.view.displaySize = DisplaySize(20, 30)
    stage.binding.layoutDidChange()
    stage.view.displaySize = nil
    stage.binding.layoutDidChange()
    #expect(stage.script.loads.count == 1)
  }

  @Test("another content mode loads again")
  func mode() {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    stage.script.loads[0].finish(Stage.picture(1))
    stage.view.displayMode = .aspectFill
    stage.binding.layoutDidChange()
    #expect(stage.script.live.map { $0.request.format?.name } == ["auto-40x30-aspectFill"])
  }

  @Test("a view that grows while it loads keeps the download until the next load has joined it")
  func growsLoading() {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    for side in [50, 60, 70] {
      stage.view.displaySize = DisplaySize(Double(side), 30)
      stage.binding.layoutDidChange()
    }
    #expect(stage.script.loads.map(\.isStopped) == [false, true, true, false])
    stage.script.loads[0].finish(Stage.picture(1))
    #expect(stage.told == ["nothing"])
    stage.script.loads[3].progress(10)
    #expect(stage.script.loads.map(\.isStopped) == [true, true, true, false])
    stage.script.loads[3].finish(Stage.picture(2))
    #expect(stage.told == ["nothing", "picture 2 fade"])
  }

  @Test("a larger picture whose load was cancelled is loaded also if the view reappears before its layout")
  func growsHidden() {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    stage.script.loads[0].finish(Stage.picture(1))
    stage.view.displaySize = DisplaySize(80, 60)
    stage.binding.layoutDidChange()
    stage.binding.viewDidDisappear()
    stage.view.displaySize = nil
    stage.binding.viewDidAppear()
    #expect(stage.script.live.isEmpty)
    stage.view.displaySize = DisplaySize(80, 60)
    stage.binding.layoutDidChange()
    stage.binding.layoutDidChange()
    #expect(stage.script.live.map { $0.request.format?.name } == ["auto-80x60-aspectFit"])
  }

  @Test("if the larger picture fails, the smaller one stays, and no handler is called")
  func growsFailing() {
    let stage = Stage()
    stage.binding.setImage(from: Self.a, failure: { _ in Issue.record("told") })
    stage.script.loads[0].finish(Stage.picture(1))
    stage.view.layOut(DisplaySize(80, 60))
    stage.binding.layoutDidChange()
    stage.script.loads[1].fail(.notCached("a"))
    #expect(stage.told == ["nothing", "picture 1 fade"])
    #expect(stage.binding.picture != nil)
  }

  @Test("a closure that shows the picture is not called again when the view grows")
  func growsTakenOver() {
    let stage = Stage()
    var count = 0
    stage.binding.setImage(from: Self.a, success: { _ in count += 1 })
    stage.script.loads[0].finish(Stage.picture(1))
    stage.view.displaySize = DisplaySize(80, 60)
    stage.binding.layoutDidChange()
    #expect(count == 1 && stage.script.loads.count == 1)
  }
}
