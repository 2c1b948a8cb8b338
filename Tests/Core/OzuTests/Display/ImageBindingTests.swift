import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("The content of a view")
@MainActor
struct ImageBindingTests {
  static let a = Stage.url("a")
  static let b = Stage.url("b")

  static let withPlaceholders = DisplayOptions {
    $0.placeholder = .picture(Stage.picture(100))
    $0.failurePicture = Stage.picture(200)
  }

  @Test("a picture in memory is shown within the call, without placeholder and without animation")
  func memoryHit() {
    let stage = Stage()
    stage.script.memory[stage.asked("a").key] = Stage.picture(1)
    #expect(stage.binding.setImage(from: Self.a, options: Self.withPlaceholders))
    #expect(stage.told == ["picture 1"])
    #expect(stage.script.loads.isEmpty)
    #expect(!stage.binding.isLoading)
  }

  @Test("otherwise the placeholder comes first, then previews, then the picture")
  func order() {
    let stage = Stage()
    #expect(!stage.binding.setImage(from: Self.a, options: Self.withPlaceholders))
    #expect(stage.told == ["placeholder 100"])
    stage.script.loads[0].progress(50)
    stage.script.loads[0].preview(Stage.picture(1))
    stage.script.loads[0].preview(Stage.picture(2))
    stage.script.loads[0].finish(Stage.picture(3))
    #expect(stage.told == ["placeholder 100", "preview 1", "preview 2", "picture 3"])
  }

  @Test("images of a toolkit stand in for the picture as they are: until it is there, and when it fails")
  func toolkitImages() {
    struct Symbol: FailureImage {
      let ozuContent: DisplayContent
    }
    struct PresentingView: ImagePresenting {
      let images: ImageBinding
    }
    let stage = Stage()
    PresentingView(images: stage.binding).setImage(
      from: Self.a, placeholder: .toolkitImage(ToolkitImage("photo")),
      failureImage: Symbol(ozuContent: .toolkitImage(ToolkitImage("broken"))))
    stage.script.loads[0].fail(.noSuchFile("a"))
    #expect(stage.told == ["image photo", "image broken"])
    stage.binding.setImage(from: Self.a, options: DisplayOptions { $0.failurePicture = Stage.picture(5) })
    stage.script.loads[1].fail(.noSuchFile("a"))
    #expect(stage.told.last == "failure 5")
    // The picture replaces an image, and is not taken for one that stays.
    stage.binding.setImage(
      from: Self.b, options: DisplayOptions { $0.placeholder = .toolkitImage(ToolkitImage("photo")) })
    stage.script.loads[2].finish(Stage.picture(6))
    #expect(stage.told.suffix(2) == ["image photo", "picture 6 fade"])
    // SwiftUI draws it by itself.
    let substitute = DisplayPlaceholder.otherSize(orElse: .toolkitImage(ToolkitImage("photo")))
    #expect(substitute.ownImage?.image as? String == "photo")
  }

  @Test("a picture that was not in memory fades in for a tenth of a second")
  func fade() throws {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    stage.script.loads[0].finish(Stage.picture(1))
    #expect(stage.told == ["nothing", "picture 1 fade"])
    #expect(try #require(stage.view.steps.last).transition == .fade(.milliseconds(100)))
  }

  @Test("a slide show keeps the old picture until the new one is there")
  func slides() {
    let stage = Stage()
    stage.script.memory[stage.asked("a").key] = Stage.picture(1)
    let options = DisplayOptions { $0.placeholder = .unchanged }
    stage.binding.setImage(from: Self.a, options: options)
    stage.binding.setImage(from: Self.b, options: options)
    #expect(stage.told == ["picture 1"])
    #expect(stage.binding.picture == nil)
    stage.script.loads[0].finish(Stage.picture(2))
    #expect(stage.told == ["picture 1", "picture 2 fade"])
  }

  @Test("the picture of the same source stays while it is made in another way, and a failure changes nothing")
  func otherSteps() {
    let stage = Stage()
    stage.binding.setImage(from: Self.a, options: Self.withPlaceholders)
    stage.script.loads[0].finish(Stage.picture(1))
    let grey = ImageRequest(url: Self.a, processors: [.grayscale])
    stage.binding.setImage(grey, options: Self.withPlaceholders)
    stage.script.loads[1].preview(Stage.picture(2))
    stage.script.loads[1].fail(.notCached("a"))
    stage.binding.setImage(grey, options: Self.withPlaceholders)
    #expect(stage.told == ["placeholder 100", "picture 1 fade"])
    stage.script.loads[2].finish(Stage.picture(3))
    #expect(stage.told.last == "picture 3")
  }

  @Test("a reused view without a layout loses the old picture at once")
  func reuseBeforeLayout() {
    let stage = Stage()
    stage.script.memory[stage.asked("a").key] = Stage.picture(1)
    stage.binding.setImage(from: Self.a)
    stage.view.displaySize = nil
    stage.binding.setImage(from: Self.b, options: Self.withPlaceholders)
    #expect(stage.told == ["picture 1", "placeholder 100"])
  }

  @Test("clearing empties a view that has no request, too")
  func clearsPlaceholders() {
    let stage = Stage()
    stage.binding.setImage(from: nil, options: Self.withPlaceholders)
    stage.binding.clear()
    #expect(stage.told == ["placeholder 100", "nothing"])
  }

  @Test("another size of the picture is the placeholder, or else the given one")
  func otherSize() {
    let stage = Stage()
    stage.script.memory[stage.asked("a", PixelSize(8, 6)).key] = Stage.picture(1)
    let options = DisplayOptions { $0.placeholder = .otherSize(orElse: .picture(Stage.picture(100))) }
    stage.binding.setImage(from: Self.a, options: options)
    #expect(stage.told == ["placeholder 1"])
    stage.binding.setImage(from: Self.b, options: options)
    #expect(stage.told == ["placeholder 1", "placeholder 100"])
    stage.script.loads[1].finish(Stage.picture(2))
    #expect(stage.told.last == "picture 2 fade")
  }

  @Test(
    "a BlurHash has the proportions of the view",
    arguments: [
      (DisplaySize(40, 30), PixelSize(32, 24)), (DisplaySize(10, 1000), PixelSize(1, 32)),
      (DisplaySize(0, .nan), PixelSize(32, 32)),
    ])
  func blurHash(size: DisplaySize, expected: PixelSize) throws {
    let placeholder = try #require(DisplayPlaceholder.blurHash(text: "LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
    #expect(placeholder.content(in: size)?.bitmap?.size == expected)
    #expect(DisplayPlaceholder.blurHash(text: "no hash") == nil)
    #expect(DisplayPlaceholder.thumbHash(bytes: []) == nil)
  }

  @Test("setting another picture cancels the first, and its later events are dropped")
  func reuse() {
    let stage = Stage()
    var told: [String] = []
    stage.binding.setImage(
      from: Self.a, progress: { _ in told.append("progress") }, failure: { _ in told.append("failure") })
    stage.binding.setImage(from: Self.b)
    #expect(stage.script.loads.map(\.isStopped) == [true, false])
    stage.script.loads[0].progress(10)
    stage.script.loads[0].preview(Stage.picture(1))
    stage.script.loads[0].finish(Stage.picture(2))
    stage.script.loads[0].fail(.notCached("a"))
    #expect(told.isEmpty)
    stage.script.loads[1].finish(Stage.picture(3))
    #expect(stage.told == ["nothing", "nothing", "picture 3 fade"])
  }

  @Test(
    "setting the same picture while it loads continues the same load, for the new handlers and with the new priority"
  )
  func sameAgain() {
    let stage = Stage()
    var told: [Int] = []
    for (number, priority) in [(1, ImagePriority.normal), (2, .high), (3, .low)] {
      stage.binding.setImage(
        ImageRequest(url: Self.a, priority: priority),
        handlers: DisplayHandlers(progress: { _ in told.append(number) }))
    }
    #expect(stage.script.loads.count == 1 && stage.script.loads[0].priorities.value == [.high, .low])
    #expect(stage.binding.request?.priority == .low)
    stage.script.loads[0].progress(1)
    #expect(told == [3])
  }

  @Test("setting a loading picture again after its removal from the caches loads it anew")
  func sameAgainAfterRemoval() async {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    await stage.binding.pipeline.removeImage(for: Self.b)
    stage.binding.setImage(from: Self.a)
    #expect(stage.script.loads.count == 1)
    await stage.binding.pipeline.removeImage(for: Self.a)
    stage.binding.setImage(from: Self.a)
    #expect(stage.script.loads.map(\.isStopped) == [true, false])
    withExtendedLifetime(stage.view) {}
  }

  @Test("setting a loading picture again under another address is remembered for a load that begins again")
  func sameAgainElsewhere() {
    let stage = Stage()
    for url in [Self.a, Self.b] {
      stage.binding.setImage(ImageRequest(url: url, cacheKey: "avatar"), options: Self.withPlaceholders)
    }
    #expect(stage.script.loads.count == 1)
    stage.script.loads[0].fail(.notCached("a"))
    stage.binding.retry()
    #expect(stage.script.loads.last?.request.source.name == Self.b.absoluteString)
  }

  @Test("setting the current picture again shows nothing else in between")
  func shownAgain() {
    let stage = Stage()
    stage.script.memory[stage.asked("a").key] = Stage.picture(1)
    stage.binding.setImage(from: Self.a, options: Self.withPlaceholders)
    stage.binding.setImage(from: Self.a, options: Self.withPlaceholders)
    #expect(stage.told == ["picture 1", "picture 1"])
  }

  @Test("a failure shows the failure picture, then calls the handlers")
  func failure() {
    let stage = Stage()
    var told: [String] = []
    stage.view.onShow = { told.append(Stage.words($0)) }
    stage.binding.setImage(
      ImageRequest(url: Self.a), options: Self.withPlaceholders,
      handlers: DisplayHandlers(
        failure: { told.append("failure: \($0.explanation)") }, completion: { _ in told.append("end") }))
    stage.script.loads[0].fail(.notCached("a"))
    #expect(told == ["placeholder 100", "failure 200", "failure: not in the caches", "end"])
    guard case .failed(.notCached) = stage.binding.phase else {
      Issue.record("\(stage.binding.phase)")
      return
    }
    stage.script.loads[0].finish(Stage.picture(1))
    #expect(stage.told.count == 2)
  }

  private struct Presenter: ImagePresenting {
    let images: ImageBinding
  }

  @Test("a failed picture is loaded again when the app calls retry")
  func retry() {
    let stage = Stage()
    var calls: [String] = []
    Presenter(images: stage.binding).setImage(
      from: Self.a, progress: { calls.append("\($0.receivedByteCount)") },
      completion: { calls.append((try? $0.get()) == nil ? "failed" : "loaded") })
    stage.script.loads[0].progress(50)
    stage.script.loads[0].fail(.notCached("a"))
    #expect(calls == ["50", "failed"])
    stage.binding.retry()
    stage.script.loads[1].finish(Stage.picture(1))
    #expect(stage.told == ["nothing", "picture 1 fade"])
  }

  @Test(
    "a success closure shows the picture instead of the view, once, from memory or not",
    arguments: [true, false])
  func success(isCached: Bool) {
    let stage = Stage()
    if isCached { stage.script.memory[stage.asked("a").key] = Stage.picture(1) }
    var count = 0
    let wasThere = stage.binding.setImage(
      from: Self.a, options: Self.withPlaceholders,
      success: { response in
        count += 1
        #expect(response.picture.bitmap == Stage.picture(1).bitmap)
      })
    #expect(wasThere == isCached)
    if !isCached {
      stage.script.loads[0].preview(Stage.picture(9))
      stage.script.loads[0].finish(Stage.picture(1))
    }
    #expect(count == 1)
    #expect(stage.told == (isCached ? [] : ["placeholder 100"]))
  }

  @Test(
    "a stale picture is shown at once, and replaced only if there is another",
    arguments: [true, false])
  func stale(isSame: Bool) {
    let stage = Stage()
    let old = Stage.picture(1)
    stage.script.memory[stage.asked("a").key] = old
    stage.script.stale = [stage.asked("a").key]
    #expect(stage.binding.setImage(from: Self.a, options: Self.withPlaceholders))
    #expect(stage.script.loads.count == 1)
    stage.script.loads[0].finish(isSame ? old : Stage.picture(2))
    #expect(stage.told == (isSame ? ["picture 1"] : ["picture 1", "picture 2"]))
  }

  @Test("a stale picture stays when its origin cannot be reached")
  func staleFailure() {
    let stage = Stage()
    stage.script.memory[stage.asked("a").key] = Stage.picture(1)
    stage.script.stale = [stage.asked("a").key]
    stage.binding.setImage(
      from: Self.a, options: Self.withPlaceholders, failure: { _ in Issue.record("told") })
    stage.script.loads[0].fail(.notCached("a"))
    #expect(stage.told == ["picture 1"])
  }
}
