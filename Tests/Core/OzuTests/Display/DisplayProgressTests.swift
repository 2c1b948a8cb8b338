import Testing

@testable import Ozu

/// The progress of a running load, in the binding and in its view.
@MainActor
struct DisplayProgressTests {
  /// A view that counts its callbacks.
  private final class ListeningView: ImageDisplaying {
    var displaySize: DisplaySize? = DisplaySize(40, 30)
    let displayScale = 1.0
    let displayMode = ScaleMode.aspectFit
    var changeCount = 0
    func show(_ content: DisplayContent, transition: DisplayTransition) {}
    func stateDidChange() { changeCount += 1 }
  }

  private let view = ListeningView()
  private let script = ScriptedLoading()
  private let binding: ImageBinding

  init() {
    binding = ImageBinding(view, pipeline: ImagePipeline { $0.caching.diskStorage = .none }, loader: script)
  }

  @Test("a view is notified of every change of phase and progress, and progress ends with the load")
  func progress() {
    binding.setImage(from: Stage.url("a"))
    #expect(binding.progress == nil)
    let before = view.changeCount
    #expect(before == 1)
    script.loads[0].progress(10)
    #expect(binding.progress?.receivedByteCount == 10)
    #expect(view.changeCount == before + 1)
    script.loads[0].finish(Stage.picture(1))
    #expect(binding.progress == nil)
    #expect(view.changeCount == before + 2)
  }

  @Test(
    "the progress of a larger picture is not reported after the end, and ends in the view",
    arguments: ["loaded", "failed", "cancelled", "found in memory"])
  func larger(ending: String) {
    var told: [String] = []
    binding.setImage(
      ImageRequest(url: Stage.url("a")),
      handlers: DisplayHandlers(
        progress: { told.append("\($0.receivedByteCount)") }, completion: { _ in told.append("end") }))
    script.loads[0].progress(10)
    script.loads[0].finish(Stage.picture(1))
    view.displaySize = DisplaySize(80, 60)
    binding.layoutDidChange()
    script.loads[1].progress(20)
    #expect(told == ["10", "end"] && binding.progress?.receivedByteCount == 20)
    let before = view.changeCount
    switch ending {
    case "loaded": script.loads[1].finish(Stage.picture(2))
    case "failed": script.loads[1].fail(.notCached("a"))
    case "cancelled": binding.cancel()
    default:
      let format = AutomaticFormat().format(PixelSize(160, 120), .aspectFit)
      script.memory[ImageRequest(url: Stage.url("a")).inFormat(format).key] = Stage.picture(3)
      view.displaySize = DisplaySize(160, 120)
      binding.layoutDidChange()
    }
    #expect(binding.progress == nil && !binding.isLoading && view.changeCount == before + 1)
  }

  @Test("another picture, a cancelled load and an emptied view begin without progress")
  func resets() {
    binding.setImage(from: Stage.url("a"))
    script.loads[0].progress(10)
    binding.setImage(from: Stage.url("b"))
    #expect(binding.progress == nil)
    script.loads[1].progress(20)
    binding.cancel()
    #expect(binding.progress == nil)
    binding.retry()
    script.loads[2].progress(30)
    #expect(binding.progress?.receivedByteCount == 30)
    binding.clear()
    #expect(binding.progress == nil)
  }

  @Test("a colour as a placeholder has the proportions of the view")
  func color() throws {
    let color = Pixel(red: 200, green: 30, blue: 20)
    let bitmap = try #require(DisplayPlaceholder.color(color).content(in: DisplaySize(40, 30))?.bitmap)
    #expect(bitmap.size == PixelSize(32, 24))
    #expect(bitmap.isOpaque)
    #expect(BGRABitmap(bitmap)[31, 23] == color)
  }
}
