/// The outcome for one source of a command.
protocol SourceReporting: Sendable {
  /// A line about each failure; empty after success.
  var errorLines: [String] { get }
}

/// Works on the sources of a command, a few at a time, and reports in their order.
struct SourceRun<Report: SourceReporting>: Sendable {
  let concurrentCount: Int
  let console: Console
  let style: ReportStyle

  /// Works on all sources and prints the reports in the order of the sources, then a line for each failure. If a signal
  /// ends the process, it prints the failures that were reported until then.
  ///
  /// - Parameters:
  ///   - problems: failures of the listing.
  ///   - work: makes the results of a source from its text and number. It may report its progress, 0 to 1.
  ///   - print: prints a report without its failures; in JSON with them.
  /// - Returns: whether something failed.
  func run(
    _ sources: [ListedSource], problems: [Report],
    _ work: @escaping @Sendable (String, Int, @escaping @Sendable (Double) -> Void) async -> Report,
    print: (Report) -> Void
  ) async -> Bool {
    let bar = ProgressBar(total: sources.count, console: console, isShown: style != .quiet)
    if style == .json { problems.forEach(print) }
    console.keepErrors(problems.flatMap(\.errorLines))
    return await withTaskGroup(of: (Int, Report).self) { group in
      var waiting = sources.indices[...]
      func startNext() {
        guard let index = waiting.popFirst() else { return }
        group.addTask { (index, await work(sources[index].text, index) { bar.update(index, fraction: $0) }) }
      }
      for _ in 0..<concurrentCount { startNext() }
      var reports: [Int: Report] = [:]
      var printedCount = 0
      var failures = problems
      for await (index, report) in group {
        startNext()
        bar.finish(index, isFailure: !report.errorLines.isEmpty)
        reports[index] = report
        while let next = reports.removeValue(forKey: printedCount) {
          bar.clear()
          print(next)
          if !next.errorLines.isEmpty { failures.append(next) }
          console.keepErrors(next.errorLines)
          printedCount += 1
        }
        // A report may wait for an earlier one. Until then no write would notice that the reader has gone.
        console.checkOutput()
      }
      bar.clear()
      // At the end, so that users see them after thousands of reports.
      console.printKeptErrors(failures.flatMap(\.errorLines))
      return !failures.isEmpty
    }
  }
}

/// The style in which a command reports successes: text, text with the stages of each load, JSON or nothing.
enum ReportStyle: String, Sendable, CaseIterable {
  case text, verbose, json, quiet

  static let verboseOption = OptionSpecification(
    name: ReportStyle.verbose.rawValue, letter: "v",
    help: "Say where each picture came from, and how long each stage took.")

  /// Reads `--json`, `--quiet` and `--verbose`.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    let given = Self.allCases.filter { $0 != .text && arguments.has($0.rawValue) }
    guard given.count <= 1 else {
      throw UsageError("--\(given[1]) and --\(given[0]) cannot be used together")
    }
    self = given.first ?? .text
  }
}
