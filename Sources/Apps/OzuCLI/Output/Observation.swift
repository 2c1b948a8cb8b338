import Foundation
import Ozu

/// Reports about the work of a command's pipeline, if options ask for them: a trace, counts, a log.
struct Observation {
  static let options = [
    OptionSpecification(
      name: "trace", value: "FILE", kind: .file, help: "Write a trace of every request and stage into a file."
    ),
    OptionSpecification(
      name: "stats", help: "At the end, print counts of hits, downloads and stored entries."),
    OptionSpecification(
      name: "log", value: "LEVEL", kind: .words(ImageLogLevel.allCases.map { "\($0)" }),
      help: "Log to standard error: debug, info, notice or error."),
  ]

  private let trace: (recorder: TraceRecorder, file: OutputFile)?
  private let log: ConsoleLog?
  private let printsStatistics: Bool
  private let console: Console

  init(_ arguments: ParsedArguments, console: Console) throws(UsageError) {
    let level = try arguments.choice("log", among: ImageLogLevel.allCases.map { ("\($0)", $0) })
    log = level.map { ConsoleLog(level: $0, console: console) }
    trace = arguments.value("trace").map { (TraceRecorder(), OutputFile($0)) }
    printsStatistics = arguments.has("stats")
    self.console = console
  }

  /// The file that `--trace` names.
  ///
  /// - Throws: when it would overwrite a source or the result.
  static func trace(
    _ arguments: ParsedArguments, sources: [ListedSource], output: OutputTarget?
  ) throws(UsageError) -> OutputFile? {
    guard let trace = arguments.value("trace").map(OutputFile.init) else { return nil }
    let files = SourceFiles(sources.map(\.source))
    if let source = files.source(lostBy: trace.path) {
      throw UsageError("--trace \(trace.path): this is the source \(source)")
    }
    if output?.isSame(as: trace) ?? false {
      throw UsageError("--trace \(trace.path): the result of -o goes there")
    }
    return trace
  }

  func configure(_ configuration: inout ImagePipeline.Configuration) {
    configuration.log = log
    if let trace { configuration.observers.append(trace.recorder) }
  }

  /// Writes and prints the reports. Returns false, with a message, when the file cannot be written.
  func finish(_ pipeline: ImagePipeline, isJSON: Bool) async -> Bool {
    if printsStatistics { printStatistics(of: pipeline, isJSON: isJSON) }
    guard let trace else { return true }
    do {
      try await BlockingWork.run { try trace.file.write(trace.recorder.json()) }
      return true
    } catch {
      console.printError("ozu: the trace: \(error.oneLine)")
      return false
    }
  }

  private func printStatistics(of pipeline: ImagePipeline, isJSON: Bool) {
    let statistics = pipeline.statistics
    guard isJSON else { return console.print(statistics.description) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let data = try? encoder.encode(statistics) {
      let members = JSON.verbatim(String(decoding: data, as: UTF8.self))
      console.report("statistics", [("statistics", members)])
    }
  }

  /// Prints the log of the pipeline on standard error.
  private struct ConsoleLog: ImageLogging {
    let level: ImageLogLevel
    let console: Console

    func write(_ level: ImageLogLevel, _ line: String) { console.printError("ozu \(level): \(line)") }
  }
}
