import Foundation
import OzuTesting

@testable import Ozu

/// A model of the picture that a view must show, by the contract alone.
struct BindingModel {
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
