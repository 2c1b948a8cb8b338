import Foundation
import Ozu

/// `ozu cache`: what the disk cache holds, and its upkeep.
enum CacheCommand: Command {
  static let specification = CommandSpecification(
    name: "cache",
    summary: "Look after the disk cache.",
    synopsis: "stats|list|verify|trim|clear [--to BYTES] [--cache DIR] [--json]",
    discussion: """
      stats   how much it holds
      list    its entries, the last used first
      verify  read and check every entry; damaged ones are removed
      trim    make it smaller, the least recently used first (--to BYTES; by default to half)
      clear   remove everything
      """,
    options: [
      OptionSpecification(name: "to", value: "BYTES", help: "With trim: how many bytes may stay."), .cache,
      .json,
    ],
    positional: 1...1)

  private enum Action: CaseIterable {
    case stats, list, verify, trim, clear
  }

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let actions = Action.allCases.map { ("\($0)", $0) }
    let word = arguments.positional[0]
    guard let action = actions.first(where: { $0.0 == word })?.1 else {
      throw UsageError(
        "cache cannot \"\(word)\"",
        hint: Suggestion.closest(to: word, among: actions.map(\.0)).map {
          "Did you mean \"ozu cache \($0)\"?"
        }
          ?? "It can: stats, list, verify, trim, clear.")
    }
    let target = try arguments.integer("to", in: 0...Int.max)
    if target != nil && action != .trim { throw UsageError("--to goes with trim") }
    let printer = CachePrinter(console: console, isJSON: arguments.has("json"))
    let folder = PipelineArguments.folder(arguments).path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: folder) else {
      printer.printAbsence(of: folder)
      return .done
    }
    do {
      return try await BlockingWork.run { () throws(DiskCacheError) in
        let cache = try DiskCache(directory: folder)
        defer { cache.close() }
        return try perform(action, on: cache, target: target, printer)
      }
    } catch {
      console.printError("ozu cache: \(error)")
      return .failed
    }
  }

  private static func perform(
    _ action: Action, on cache: DiskCache, target: Int?, _ printer: CachePrinter
  ) throws(DiskCacheError) -> ExitStatus {
    switch action {
    case .stats: printer.printStatistics(of: cache)
    case .list: printer.printEntries(of: cache)
    case .verify:
      let report = cache.verify()
      printer.print(report)
      return report.isSound ? .done : .failed
    case .trim:
      let before = cache.totalByteCount
      try cache.trim(toByteCount: target ?? before / 2)
      printer.printChange(from: before, to: cache.totalByteCount)
    case .clear:
      let before = cache.totalByteCount
      try cache.removeAll()
      printer.printChange(from: before, to: cache.totalByteCount)
    }
    return .done
  }
}
