import Foundation
import OzuTesting
import Testing

@testable import Ozu

/// The table of what a view shows: on the page, in the code, and as a view does it.
@Suite("The table of what a view shows")
@MainActor
struct DisplayTableTests {
  private static let a = Stage.url("a")

  /// The rows of the page "Showing pictures": what a view shows, and what it shows after each occasion.
  private static let page: [[String]] = {
    let file = Repository.url("Sources/Core/Ozu/Ozu.docc/ShowingPictures.md")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
    return lines.map { line in line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
  }()

  @Test("on the page is that of the code", arguments: DisplayRow.allCases)
  func page(row: DisplayRow) throws {
    #expect(Self.page.first?.dropFirst().count == DisplayOccasion.allCases.count)
    let cells = try #require(Self.page.first { $0[0] == row.words }).dropFirst()
    #expect(Array(cells) == DisplayOccasion.allCases.map { row.step(after: $0).words })
  }

  struct Case: Sendable {
    let row: DisplayRow
    let occasion: DisplayOccasion
  }

  private nonisolated static let cases = DisplayRow.allCases.flatMap { row in
    DisplayOccasion.allCases.map { Case(row: row, occasion: $0) }
  }

  @Test("is what a view does", arguments: cases)
  func plays(test: Case) throws {
    let stage = Stage()
    bring(stage, to: test.row)
    let before = stage.content
    happen(test.occasion, to: stage)
    let expected =
      switch test.row.step(after: test.occasion) {
      case .keep: before
      case .empty: "nothing"
      case .placeholder: "placeholder 101"
      case .preview: "preview 5"
      case .picture: "picture 6"
      case .failureElseKeep, .failureElseEmpty: "failure 201"
      }
    #expect(stage.content == expected)
  }

  @Test("without a placeholder, nothing is what remains of another source", arguments: DisplayRow.allCases)
  func empties(row: DisplayRow) {
    for occasion in [DisplayOccasion.otherSource, .noSource, .clear] {
      let stage = Stage()
      bring(stage, to: row)
      happen(occasion, to: stage, DisplayOptions())
      #expect(stage.content == "nothing")
      #expect(stage.binding.picture == nil)
    }
  }

  @Test("without a failure picture, a view keeps what is its source's", arguments: DisplayRow.allCases)
  func failsPlainly(row: DisplayRow) {
    let stage = Stage()
    bring(stage, to: row)
    let before = stage.content
    stage.binding.setImage(from: Self.a, options: DisplayOptions { $0.placeholder = .unchanged })
    stage.script.live.last?.fail(.notCached("a"))
    #expect(stage.content == (row == .former ? "nothing" : before))
    guard case .failed = stage.binding.phase else {
      Issue.record("\(stage.binding.phase)")
      return
    }
  }

  /// Makes a view show something, with `a` as its source.
  private func bring(_ stage: Stage, to row: DisplayRow) {
    switch row {
    case .nothing: stage.binding.setImage(from: Self.a)
    case .placeholder: stage.binding.setImage(from: Self.a, options: Self.options(100))
    case .preview:
      stage.binding.setImage(from: Self.a)
      stage.script.live[0].preview(Stage.picture(1))
    case .picture:
      stage.binding.setImage(from: Self.a)
      stage.script.live[0].finish(Stage.picture(2))
    case .failure:
      stage.binding.setImage(from: Self.a, options: Self.options(100))
      stage.script.live[0].fail(.notCached("a"))
    case .former:
      stage.binding.setImage(from: Stage.url("b"))
      stage.script.live[0].finish(Stage.picture(9))
      stage.binding.setImage(from: Self.a, options: DisplayOptions { $0.placeholder = .unchanged })
    }
  }

  private func happen(
    _ occasion: DisplayOccasion, to stage: Stage, _ options: DisplayOptions = options(101)
  ) {
    switch occasion {
    case .otherSource: stage.binding.setImage(from: Stage.url("c"), options: options)
    case .sameSource: stage.binding.setImage(from: Self.a, options: options)
    case .noSource: stage.binding.setImage(from: nil, options: options)
    case .clear: stage.binding.clear()
    case .cancel:
      load(stage)
      stage.binding.viewDidDisappear()
    case .preview: load(stage).preview(Stage.picture(5))
    case .picture: load(stage).finish(Stage.picture(6))
    case .failure:
      load(stage)
      stage.binding.setImage(from: Self.a, options: options)
      stage.script.live.last?.fail(.notCached("a"))
    }
  }

  /// The running load, which begins again where it has ended; the view stays as it is.
  @discardableResult
  private func load(_ stage: Stage) -> ScriptedLoading.Load {
    if !stage.binding.isLoading {
      stage.binding.setImage(from: Self.a, options: DisplayOptions { $0.placeholder = .unchanged })
    }
    return stage.script.live[stage.script.live.count - 1]
  }

  private static func options(_ number: Int) -> DisplayOptions {
    DisplayOptions {
      $0.placeholder = .picture(Stage.picture(number))
      $0.failurePicture = Stage.picture(number + 100)
    }
  }
}

extension Stage {
  /// The content of the view, in words.
  fileprivate var content: String {
    told.last.map { $0.replacing(" fade", with: "") } ?? "nothing"
  }
}

extension DisplayRow {
  /// The words of the page.
  fileprivate var words: String {
    switch self {
    case .nothing: "nothing"
    case .placeholder: "the placeholder"
    case .preview: "a preview"
    case .picture: "the picture"
    case .failure: "the failure picture"
    case .former: "another source's, on purpose"
    }
  }
}

extension DisplayStep {
  fileprivate var words: String {
    switch self {
    case .keep: "stays"
    case .empty: "nothing"
    case .placeholder: "placeholder"
    case .preview: "preview"
    case .picture: "picture"
    case .failureElseKeep: "failure picture, else stays"
    case .failureElseEmpty: "failure picture, else nothing"
    }
  }
}
