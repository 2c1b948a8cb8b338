import Foundation
import OzuTesting

@testable import Ozu

/// A model of the picture that a view must show, by the contract alone.
struct BindingModel {
  struct Target: Hashable {
    var url: Int
    var side: Int
  }

  /// The content of the view; `former` belongs to another source.
  enum Shown { case nothing, placeholder, preview, picture, failure, former }

  enum Placeholder: Equatable {
    case nothing
    case unchanged
    case picture(Int)
  }

  struct Current {
    var url: Int
    var placeholder: Placeholder
    var failure: Int?
    /// Whether the view has not yet made room for another source.
    var isNew: Bool
    var asked: Target?
    var load: Int?
    var retiring: Int?
    var hasShown = false
    var isAnswered = false
    var isWaiting = false
    var isCancelled = false
  }

  var side = 20
  var told: [String] = []
  var answers: [String] = []
  var memory: [Target: Int] = [:]
  var current: Current?
  var shown = Shown.nothing
  /// The number of the picture that is shown, if memory gave it: the same pixels are not shown again.
  var shownMemory: Int?
  var loadCount = 0
  var ended: Set<Int> = []

  mutating func set(_ url: Int, placeholder: Placeholder, failure: Int?) {
    if let now = current, now.load != nil, !now.isAnswered, side > 0,
      now.asked == Target(url: url, side: side)
    {
      current?.placeholder = placeholder
      current?.failure = failure
      makeRoom()
      return
    }
    current = Current(
      url: url, placeholder: placeholder, failure: failure, isNew: current?.url != url)
    start()
  }

  mutating func setNothing(placeholder: Placeholder) {
    current = nil
    if case .picture(let number) = placeholder {
      tell(.placeholder, "placeholder \(number)")
    } else {
      empty()
    }
  }

  mutating func start() {
    guard let now = current else { return }
    guard side > 0 else {
      if now.isAnswered {
        current?.asked = nil
      } else {
        current?.isWaiting = true
        makeRoom()
      }
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
    if current?.isAnswered == false { makeRoom() }
    current?.load = loadCount
    loadCount += 1
  }

  /// Removes the content of another source; that of this one stays until there is something better.
  mutating func makeRoom() {
    guard let now = current else { return }
    current?.isNew = false
    if !now.isNew, shown == .preview || shown == .picture { return }
    switch now.placeholder {
    case .picture(let number): tell(.placeholder, "placeholder \(number)")
    case .nothing: if now.isNew || shown != .nothing { empty() }
    case .unchanged: if now.isNew, shown != .nothing { shown = .former }
    }
  }

  mutating func tell(_ new: Shown, _ words: String) {
    shown = new
    shownMemory = nil
    told.append(words)
  }

  mutating func empty() { tell(.nothing, "nothing") }

  mutating func show(_ number: Int, fades: Bool) {
    guard let now = current else { return }
    let isPlain = !fades || shown == .preview || shown == .picture
    current?.hasShown = true
    if fades || !now.hasShown || shown != .picture || shownMemory != number {
      tell(.picture, "picture \(number)" + (isPlain ? "" : " fade"))
    }
    shownMemory = fades ? nil : number
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
    current = nil
    empty()
  }

  mutating func layout(_ count: Int) {
    guard let now = current, !now.isCancelled, side > 0 else { return }
    if now.isWaiting {
      start()
      return
    }
    guard now.asked.map({ side > $0.side }) ?? true, now.load != nil || now.hasShown else { return }
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
    shown = .nothing
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
    guard counts(index), current?.isAnswered == false, shown != .picture else { return }
    tell(.preview, "preview \(number)")
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
    guard let now = current, !now.isAnswered else { return }
    current?.isAnswered = true
    if shown != .picture {
      if let number = now.failure {
        tell(.failure, "failure \(number)")
      } else if shown == .former {
        empty()
      }
    }
    answers.append("\(url) failed")
  }

  mutating func cancelledElsewhere(_ index: Int) {
    ended.insert(index)
    guard counts(index) else { return }
    current?.load = nil
    current?.isCancelled = true
  }
}
