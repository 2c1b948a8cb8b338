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
  var model = BindingModel()
  let pipeline = ImagePipeline { $0.caching.diskStorage = .none }
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
      set(url, placeholder: placeholder(&random), failure: Bool.random(using: &random) ? 2000 + url : nil)
      return "set \(url)"
    case 20..<24:
      binding.cancel()
      model.cancel()
      return "cancel"
    case 24..<26:
      let placeholder = placeholder(&random)
      binding.setImage(from: nil, options: DisplayOptions { $0.placeholder = Self.option(placeholder) })
      model.setNothing(placeholder: placeholder)
      return "set nothing"
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

  private func placeholder(_ random: inout SeededGenerator) -> BindingModel.Placeholder {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: .nothing
    case 1: .unchanged
    default: .picture(1000)
    }
  }

  private static func option(_ placeholder: BindingModel.Placeholder) -> DisplayPlaceholder {
    switch placeholder {
    case .nothing: .nothing
    case .unchanged: .unchanged
    case .picture(let number): .picture(Stage.picture(number))
    }
  }

  private mutating func set(_ url: Int, placeholder: BindingModel.Placeholder, failure: Int?) {
    let options = DisplayOptions {
      $0.placeholder = Self.option(placeholder)
      $0.failurePicture = failure.map { Stage.picture($0) }
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
    model.set(url, placeholder: placeholder, failure: failure)
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
      model.memory[BindingModel.Target(url: url, side: load.request.format?.size.width ?? 0)] = number
      load.finish(Stage.picture(number))
      model.finish(index, number)
      return "finish \(index)"
    }
  }
}
