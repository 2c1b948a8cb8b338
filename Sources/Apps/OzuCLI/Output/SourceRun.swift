import OzuBase

/// What a command made of a source.
protocol SourceReport: Sendable {
  /// The lines for people.
  ///
  /// - Parameters:
  ///   - isVerbose: whether the place that it came from and the stages follow.
  ///   - width: the columns for a line; the middle of a longer name is left out. `nil` for everything.
  func lines(isVerbose: Bool, width: Int?) -> [StyledLine]

  /// What it adds to the sum of all.
  var sum: RunSum { get }

  /// The object for programs.
  var json: JSON { get }
}

/// Why a command made nothing of a source.
struct SourceFailure: Error {
  /// The source as it was typed, without parts that may be secret.
  let source: String
  /// One, or one for each of several results.
  let reasons: [String]

  init(_ text: String, reason: String) {
    source = SourceArgument.shown(text)
    reasons = [reason]
  }

  init(_ text: String, _ error: any Error) {
    source = SourceArgument.shown(text)
    reasons = (error as? SetFailure)?.reasons ?? [error.reason]
  }

  /// A line about each reason.
  var errorLines: [String] { reasons.map { "ozu: \(PrintableText.name(source)): \($0)" } }

  /// An object for programs for each reason.
  func json(_ kind: String) -> [JSON] {
    reasons.map { .report(kind, [("source", .string(source)), ("error", .string($0))]) }
  }
}

/// Works on the sources of a command, a few at a time, and reports in their order.
struct SourceRun: Sendable {
  /// The kind of failures in JSON, for commands that have it.
  var kind = ""
  let concurrentCount: Int
  let console: Console
  let style: ReportStyle
  var showsProgress = true

  /// Works on all sources and prints the reports in the order of the sources, then a line for each failure. If a signal
  /// ends the process, it prints the failures that were reported until then.
  ///
  /// - Parameters:
  ///   - problems: failures of the listing.
  ///   - work: makes the results of a source from its text and number. It may report its progress, 0 to 1.
  ///   - print: prints what was made.
  /// - Returns: the number of failures.
  func run<Made: Sendable>(
    _ sources: [ListedSource], problems: [SourceFailure],
    _ work: @escaping @Sendable (String, Int, @escaping @Sendable (Double) -> Void) async throws -> Made,
    print: (Made) -> Void
  ) async -> Int {
    let bar = ProgressBar(total: sources.count, console: console, isShown: showsProgress && style != .quiet)
    if style == .json { printJSON(problems) }
    console.keepErrors(problems.flatMap(\.errorLines))
    return await withTaskGroup(of: (Int, Result<Made, SourceFailure>).self) { group in
      var waiting = sources.indices[...]
      func startNext() {
        guard let index = waiting.popFirst() else { return }
        group.addTask {
          let text = sources[index].text
          do {
            return (index, .success(try await work(text, index) { bar.update(index, fraction: $0) }))
          } catch {
            return (index, .failure(SourceFailure(text, error)))
          }
        }
      }
      for _ in 0..<concurrentCount { startNext() }
      var results: [Int: Result<Made, SourceFailure>] = [:]
      var printedCount = 0
      var failures = problems
      for await (index, result) in group {
        startNext()
        bar.finish(index, isFailure: (try? result.get()) == nil)
        results[index] = result
        while let next = results.removeValue(forKey: printedCount) {
          bar.clear()
          switch next {
          case .success(let made): print(made)
          case .failure(let failure):
            if style == .json { printJSON([failure]) }
            failures.append(failure)
            console.keepErrors(failure.errorLines)
          }
          printedCount += 1
        }
        // A report may wait for an earlier one. Until then no write would notice that the reader has gone.
        console.checkOutput()
      }
      bar.clear()
      // At the end, so that users see them after thousands of reports.
      console.printKeptErrors(failures.flatMap(\.errorLines))
      return failures.count
    }
  }

  /// Works on all sources as `run`, and prints each report and, of several, a sum at the end.
  ///
  /// - Parameters:
  ///   - reports: where they are printed.
  ///   - after: called after a report is printed.
  func report<Report: SourceReport>(
    _ sources: [ListedSource], problems: [SourceFailure], on reports: Console,
    _ work: @escaping @Sendable (String, Int, @escaping @Sendable (Double) -> Void) async throws -> Report,
    after: (Report) -> Void = { _ in }
  ) async -> (sum: RunSum, failureCount: Int) {
    let start = ContinuousClock.now
    var sum = RunSum()
    let failureCount = await run(sources, problems: problems, work) { (report: Report) in
      sum += report.sum
      reports.print(report, style)
      after(report)
    }
    if sources.count > 1, style.isForPeople {
      reports.print(sum.line(start.duration(to: .now), failureCount: failureCount))
    }
    return (sum, failureCount)
  }

  private func printJSON(_ failures: [SourceFailure]) {
    for failure in failures { failure.json(kind).forEach { console.print($0.text) } }
  }
}

extension Console {
  func print(_ report: any SourceReport, _ style: ReportStyle) {
    switch style {
    case .json: print(report.json.text)
    case .text, .verbose: report.lines(isVerbose: style == .verbose, width: lineWidth).forEach(print)
    case .quiet: break
    }
  }
}

/// The style in which a command reports successes: text, text with the stages of each load, JSON or nothing.
enum ReportStyle: String, Sendable, CaseIterable {
  case text, verbose, json, quiet

  var isForPeople: Bool { self == .text || self == .verbose }

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
