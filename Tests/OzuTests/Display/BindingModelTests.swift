import Foundation
import OzuTesting
import Testing

@testable import Ozu

/// Random operations on a view, and a naive model of what it must show: the contract of `ImageBinding` in another
/// form.
@Suite("A view under random operations")
@MainActor
struct BindingModelTests {
  @Test(
    "10,000 random operations show exactly what the contract says",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var play = Play()
    for step in 0..<1250 {
      let name = play.perform(Int.random(in: 0..<100, using: &random), &random)
      let problem = play.difference
      #expect(problem == nil, "seed \(seed), step \(step), \(name)")
      if problem != nil { return }
    }
    #expect(play.pictureCount > 50)
  }
}

/// The binding and the model.
@MainActor
private struct Play {
  var script = ScriptedLoading()
  var view = FakeImageView(DisplaySize(20, 20))
  var binding: ImageBinding
  var model = Model()
  let pipeline = ImagePipeline { $0.diskStorage = .none }
  var lastPicture = 0
  var pictureCount = 0
  var checkedSteps = 0
  var answers = Answers()

  @MainActor final class Answers {
    var log: [String] = []
  }

  init() {
    binding = ImageBinding(view, pipeline: pipeline, loader: script)
  }

  /// The first difference between the binding and the model.
  var difference: String? {
    let told = view.steps.map(Stage.words)
    if told != model.told { return "told \(told.suffix(4)), expected \(model.told.suffix(4))" }
    if answers.log != model.answers {
      return "answers \(answers.log.suffix(3)), expected \(model.answers.suffix(3))"
    }
    let live = Set(script.loads.indices.filter { !script.loads[$0].isStopped })
    let expected = Set([model.current?.load, model.current?.retiring].compactMap(\.self))
    // A load that has ended may or may not have been released.
    if live.subtracting(model.ended) != expected.subtracting(model.ended) {
      return "loads \(live), expected \(expected)"
    }
    if binding.isLoading != (model.current?.load != nil) { return "isLoading is \(binding.isLoading)" }
    return nil
  }

  mutating func perform(_ dice: Int, _ random: inout SeededGenerator) -> String {
    switch dice {
    case 0..<20:
      let url = Int.random(in: 0..<4, using: &random)
      set(url, placeholder: url % 2 == 0 ? 1000 + url : nil)
      return "set \(url)"
    case 20..<26:
      binding.cancel()
      model.cancel()
      return "cancel"
    case 26..<28:
      binding.clear()
      model.clear()
      return "clear"
    case 28..<40:
      let side = [0, 10, 20, 30, 40].randomElement(using: &random) ?? 0
      view.displaySize = DisplaySize(Double(side), Double(side))
      model.side = side
      binding.layoutDidChange()
      model.layout(loadCount)
      return "resize \(side)"
    case 40..<46:
      binding.viewDidDisappear()
      model.disappear()
      return "disappear"
    case 46..<54:
      binding.viewDidAppear()
      model.appear(loadCount)
      return "appear"
    case 54..<56:
      destroy()
      return "destroy"
    case 56..<60:
      script.memory = [:]
      model.memory = [:]
      return "evict"
    default: return deliver(dice, &random)
    }
  }

  /// How many loads there were before this operation: the number of the next one.
  private var loadCount: Int { model.loadCount }

  private mutating func set(_ url: Int, placeholder: Int?) {
    let options = DisplayOptions {
      $0.placeholder = placeholder.map { .picture(Stage.picture($0)) }
      $0.failurePicture = Stage.picture(2000 + url)
    }
    let answers = answers
    binding.setImage(
      ImageRequest(url: Stage.url("\(url)")), options: options,
      handlers: DisplayHandlers(completion: { result in
        if case .success = result {
          answers.log.append("\(url) ok")
        } else {
          answers.log.append("\(url) failed")
        }
      }))
    model.set(url, placeholder: placeholder)
  }

  private mutating func destroy() {
    weak let old = binding
    view = FakeImageView(DisplaySize(Double(model.side), Double(model.side)))
    binding = ImageBinding(view, pipeline: pipeline, loader: script)
    if old != nil { Issue.record("the binding outlived its view") }
    model.destroy()
  }

  /// An event of a load, which may have been cancelled or ended long ago.
  private mutating func deliver(_ dice: Int, _ random: inout SeededGenerator) -> String {
    guard !script.loads.isEmpty else { return "none" }
    let recent = max(0, script.loads.count - 3)
    let index = Int.random(in: recent..<script.loads.count, using: &random)
    guard !model.ended.contains(index) else { return "ended" }
    let load = script.loads[index]
    lastPicture += 1
    let url = Int(load.request.source.name.suffix(1)) ?? 0
    switch dice {
    case 60..<65:
      load.progress(1)
      model.event(index)
      return "progress \(index)"
    case 65..<72:
      load.preview(Stage.picture(lastPicture % 900))
      model.preview(index, lastPicture % 900)
      return "preview \(index)"
    case 72..<80:
      load.fail(.notCached("x"))
      model.fail(index, url)
      return "fail \(index)"
    case 80..<82:
      load.fail(.cancelled("x"))
      model.cancelledElsewhere(index)
      return "cancelled elsewhere \(index)"
    default:
      let number = 3000 + lastPicture
      pictureCount += 1
      // A cancelled load may still put its picture into memory, as shared work does.
      script.memory[load.request.key] = Stage.picture(number)
      model.memory[Model.Target(url: url, side: load.request.format?.size.width ?? 0)] = number
      load.finish(Stage.picture(number))
      model.finish(index, number)
      return "finish \(index)"
    }
  }
}

/// What a view must show, by the contract alone.
private struct Model {
  struct Target: Hashable {
    var url: Int
    var side: Int
  }

  enum Shown { case nothing, placeholder, preview, picture }

  struct Current {
    var url: Int
    var placeholder: Int?
    var asked: Target?
    var load: Int?
    var retiring: Int?
    var shown = Shown.nothing
    var isAnswered = false
    var isWaiting = false
    var isCancelled = false
  }

  var side = 20
  var told: [String] = []
  var answers: [String] = []
  var memory: [Target: Int] = [:]
  var current: Current?
  var loadCount = 0
  var ended: Set<Int> = []

  mutating func set(_ url: Int, placeholder: Int?) {
    if let now = current, now.load != nil, !now.isAnswered, side > 0,
      now.asked == Target(url: url, side: side)
    {
      current?.placeholder = placeholder
      if now.shown != .preview { showPlaceholder() }
      return
    }
    current = Current(url: url, placeholder: placeholder)
    start()
  }

  mutating func start() {
    guard let now = current else { return }
    guard side > 0 else {
      if !now.isAnswered { current?.isWaiting = true }
      return
    }
    current?.isWaiting = false
    ask(Target(url: now.url, side: side))
  }

  mutating func ask(_ target: Target) {
    current?.asked = target
    if let number = memory[target] {
      current?.retiring = nil
      show(number, fades: false)
      return
    }
    if current?.isAnswered == false, current?.shown == .nothing { showPlaceholder() }
    current?.load = loadCount
    loadCount += 1
  }

  mutating func showPlaceholder() {
    guard let placeholder = current?.placeholder else { return }
    current?.shown = .placeholder
    told.append("placeholder \(placeholder)")
  }

  mutating func show(_ number: Int, fades: Bool) {
    guard let now = current else { return }
    let isPlain = !fades || now.shown == .preview || now.shown == .picture
    current?.shown = .picture
    told.append("picture \(number)" + (isPlain ? "" : " fade"))
    if !now.isAnswered { answers.append("\(now.url) ok") }
    current?.isAnswered = true
  }

  mutating func cancel() {
    guard let now = current, now.isWaiting || now.load != nil else { return }
    current?.load = nil
    current?.retiring = nil
    current?.isWaiting = false
    current?.isCancelled = true
  }

  mutating func clear() {
    guard current != nil else { return }
    current = nil
    told.append("nothing")
  }

  mutating func layout(_ count: Int) {
    guard let now = current, !now.isCancelled, side > 0 else { return }
    if now.isWaiting {
      start()
      return
    }
    guard let asked = now.asked, side > asked.side, now.load != nil || now.shown == .picture else { return }
    if now.retiring == nil { current?.retiring = now.load }
    current?.load = nil
    ask(Target(url: now.url, side: side))
  }

  mutating func appear(_ count: Int) {
    guard current?.isCancelled == true else { return }
    current?.isCancelled = false
    start()
  }

  mutating func disappear() {
    if current?.load != nil { cancel() }
  }

  mutating func destroy() {
    current = nil
    told = []
  }

  /// Whether the events of a load count.
  mutating func counts(_ index: Int) -> Bool {
    guard current?.load == index else { return false }
    current?.retiring = nil
    return true
  }

  mutating func event(_ index: Int) { _ = counts(index) }

  mutating func preview(_ index: Int, _ number: Int) {
    guard counts(index), current?.isAnswered == false else { return }
    current?.shown = .preview
    told.append("preview \(number)")
  }

  mutating func finish(_ index: Int, _ number: Int) {
    ended.insert(index)
    guard counts(index) else { return }
    current?.load = nil
    show(number, fades: true)
  }

  mutating func fail(_ index: Int, _ url: Int) {
    ended.insert(index)
    guard counts(index) else { return }
    current?.load = nil
    guard current?.isAnswered == false else { return }
    current?.isAnswered = true
    told.append("failure \(2000 + url)")
    answers.append("\(url) failed")
  }

  mutating func cancelledElsewhere(_ index: Int) {
    ended.insert(index)
    guard counts(index) else { return }
    current?.load = nil
    current?.isCancelled = true
  }
}
