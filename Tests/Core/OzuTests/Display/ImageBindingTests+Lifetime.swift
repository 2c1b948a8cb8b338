import OzuTesting
import Testing

@testable import Ozu

/// Cancelling, and the end of views.
extension ImageBindingTests {
  @Test("cancelling keeps the content and calls no handler; reappearing begins again")
  func cancel() {
    let stage = Stage()
    var told: [String] = []
    stage.binding.setImage(
      ImageRequest(url: Self.a), options: Self.withPlaceholders,
      handlers: DisplayHandlers(
        failure: { _ in told.append("failure") }, completion: { _ in told.append("end") }))
    stage.binding.cancel()
    #expect(stage.script.loads[0].isStopped)
    stage.script.loads[0].finish(Stage.picture(1))
    #expect(told.isEmpty && stage.told == ["placeholder 100"])
    stage.binding.viewDidAppear()
    #expect(stage.script.loads.count == 2)
    stage.script.loads[1].finish(Stage.picture(2))
    #expect(stage.told == ["placeholder 100", "placeholder 100", "picture 2 fade"])
    #expect(told == ["end"])
    stage.binding.viewDidAppear()
    #expect(stage.script.loads.count == 2)
  }

  @Test(
    "a view that disappears cancels its load, unless configured otherwise; its content stays",
    arguments: [true, false])
  func disappear(cancels: Bool) {
    let stage = Stage()
    stage.binding.options.cancelsWhenHidden = cancels
    stage.binding.setImage(from: Self.a)
    stage.binding.viewDidDisappear()
    #expect(stage.script.loads[0].isStopped == cancels)
    stage.binding.viewDidAppear()
    #expect(stage.script.loads.count == (cancels ? 2 : 1))
    stage.script.live[0].finish(Stage.picture(1))
    stage.binding.viewDidDisappear()
    stage.binding.viewDidAppear()
    #expect(stage.told == ["nothing", "picture 1 fade"])
    #expect(stage.script.live.isEmpty || !stage.binding.isLoading)
  }

  @Test("a load that other code cancelled counts as cancelled")
  func cancelledElsewhere() {
    let stage = Stage()
    stage.binding.setImage(
      from: Self.a, options: Self.withPlaceholders, failure: { _ in Issue.record("told") })
    stage.script.loads[0].fail(.cancelled("a"))
    guard case .cancelled = stage.binding.phase else {
      Issue.record("\(stage.binding.phase)")
      return
    }
    stage.binding.viewDidAppear()
    stage.script.loads[1].finish(Stage.picture(1))
    #expect(stage.told.last == "picture 1 fade")
  }

  @Test("clearing empties the view and cancels the load")
  func clear() {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    stage.binding.clear()
    #expect(stage.script.loads[0].isStopped)
    stage.script.loads[0].finish(Stage.picture(1))
    #expect(stage.told == ["nothing", "nothing"])
    #expect(stage.binding.request == nil)
  }

  @Test("without URL and key the placeholder is shown, and a running load is cancelled")
  func nothing() {
    let stage = Stage()
    stage.binding.setImage(from: Self.a)
    stage.binding.setImage(from: nil, options: Self.withPlaceholders, failure: { _ in Issue.record("told") })
    #expect(stage.script.loads.map(\.isStopped) == [true])
    #expect(stage.told == ["nothing", "placeholder 100"])
    #expect(stage.binding.request == nil)
    stage.binding.viewDidAppear()
    #expect(stage.script.loads.count == 1)
  }

  @Test(
    "closures may set another picture while they are called",
    arguments: ["show", "success", "failure", "phase", "progress", "preview"])
  func reentrance(place: String) {
    let stage = Stage()
    let binding = stage.binding
    var isFirst = true
    func setOther(_ here: String) {
      guard here == place, isFirst else { return }
      isFirst = false
      binding.setImage(from: Self.b)
    }
    stage.view.onShow = { _ in setOther("show") }
    binding.onPhaseChange = { _ in setOther("phase") }
    var handlers = DisplayHandlers(
      progress: { _ in setOther("progress") }, preview: { _ in setOther("preview") },
      failure: { _ in setOther("failure") },
      completion: { _ in if place != "failure" && place != "success" { Issue.record("told of another's end") }
      })
    if place == "success" { handlers.success = { _ in setOther("success") } }
    binding.setImage(ImageRequest(url: Self.a), handlers: handlers)
    if let load = stage.script.loads.first(where: { $0.request.source.name == Self.a.absoluteString }) {
      load.progress(1)
      load.preview(Stage.picture(5))
      if place == "failure" { load.fail(.notCached("a")) } else { load.finish(Stage.picture(1)) }
    }
    #expect(binding.request?.source.name == Self.b.absoluteString)
    #expect(stage.script.live.map(\.request.source.name) == [Self.b.absoluteString])
    stage.script.live[0].finish(Stage.picture(2))
    #expect(stage.told.last == "picture 2 fade")
  }

  @Test("a closure that hears of another phase does not find the picture of another source")
  func pictureInPhase() {
    let stage = Stage()
    let binding = stage.binding
    stage.script.memory[stage.asked("a").key] = Stage.picture(1)
    binding.setImage(from: Self.a)
    var found: [Bool] = []
    func look() { found.append(binding.picture != nil || binding.expectedSize != nil) }
    binding.onPhaseChange = { _ in look() }
    binding.setImage(from: Self.b)
    binding.setImage(from: Self.a)
    binding.clear()
    #expect(found == [false, true, false])
  }

  @Test("a closure may cancel the load that is about to begin", arguments: [true, false])
  func cancelInPhase(isStale: Bool) {
    let stage = Stage()
    let binding = stage.binding
    let key = stage.asked("a").key
    if isStale {
      stage.script.memory[key] = Stage.picture(1)
      stage.script.stale = [key]
    }
    binding.onPhaseChange = { phase in
      switch phase {
      case .loading, .shown: binding.cancel()
      default: break
      }
    }
    binding.setImage(from: Self.a)
    #expect(stage.script.loads.isEmpty && !binding.isLoading)
    binding.onPhaseChange = nil
    binding.viewDidAppear()
    #expect(stage.script.live.count == 1)
  }

  @Test("a picture that a closure sets again does not leave that of another source")
  func setAgain() {
    let stage = Stage()
    let binding = stage.binding
    stage.script.memory[stage.asked("a").key] = Stage.picture(1)
    binding.setImage(from: Self.a)
    var isFirst = true
    func repeatCall() {
      guard isFirst else { return }
      isFirst = false
      binding.setImage(from: Self.b, options: Self.withPlaceholders)
    }
    binding.onPhaseChange = { _ in repeatCall() }
    binding.setImage(from: Self.b)
    #expect(stage.told == ["picture 1", "placeholder 100"])
    #expect(stage.script.live.count == 1)
  }

  @Test("a binding is released with its view, and the load with them")
  func release() {
    let script = ScriptedLoading()
    weak var binding: ImageBinding?
    weak var view: FakeImageView?
    do {
      let stage = Stage()
      let strong = ImageBinding(stage.view, pipeline: stage.binding.pipeline, loader: script)
      strong.setImage(from: Self.a, success: { _ in })
      binding = strong
      view = stage.view
    }
    #expect(binding == nil && view == nil)
    #expect(script.loads[0].isStopped)
    script.loads[0].finish(Stage.picture(1))
  }

  @Test("a released view receives nothing; its load ends")
  func viewGone() {
    let script = ScriptedLoading()
    var view: FakeImageView? = FakeImageView(DisplaySize(10, 10))
    let binding = ImageBinding(
      view!, pipeline: ImagePipeline { $0.caching.diskStorage = .none }, loader: script)
    binding.setImage(from: Self.a, success: { _ in Issue.record("told") })
    view = nil
    script.loads[0].finish(Stage.picture(1))
    #expect(script.loads[0].isStopped)
    #expect(!binding.setImage(from: Self.b))
  }
}
