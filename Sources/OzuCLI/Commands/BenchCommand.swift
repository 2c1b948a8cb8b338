import Foundation

/// `ozu bench`: measurements on this machine.
enum BenchCommand: Command {
  private static let benchmarks: [(String, @Sendable (Int) async throws -> BenchReport)] = [
    (
      ThumbnailBench.name, { rounds in try await BlockingWork.run { try ThumbnailBench.run(rounds: rounds) } }
    ),
    (
      MemoryHitBench.name, { rounds in try await BlockingWork.run { try MemoryHitBench.run(rounds: rounds) } }
    ),
    (PipelineBench.name, PipelineBench.run),
  ]

  static let specification = CommandSpecification(
    name: "bench",
    summary: "Measure on this machine.",
    synopsis: "[BENCHMARK…] [--rounds N] [--json]",
    discussion: """
      Benchmarks: thumbnail (decode and resize of the demo's photographs), memory-hit (a look into the memory
      cache), pipeline (the cost of a request apart from loading and decoding). All of them by default. Figures are processor time; subjects take turns in every round. Build
      with optimisation, or the figures mean nothing.
      """,
    options: [
      OptionSpecification(name: "rounds", letter: "n", value: "N", help: "Rounds that count; 7 by default."),
      .json,
    ],
    positional: 0...16)

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let rounds = try arguments.integer("rounds", in: 1...1000) ?? 7
    let names = benchmarks.map(\.0)
    for name in arguments.positional where !names.contains(name) {
      throw UsageError(
        "there is no benchmark \"\(name)\"",
        hint: Suggestion.closest(to: name, among: names).map { "Did you mean \"\($0)\"?" }
          ?? "There are: \(names.joined(separator: ", ")).")
    }
    let chosen = benchmarks.filter { arguments.positional.isEmpty || arguments.positional.contains($0.0) }
    do {
      for (_, benchmark) in chosen {
        let report = try await benchmark(rounds)
        if arguments.has("json") {
          console.print(report.json.text)
        } else {
          console.print("\(report.benchmark)\n" + report.lines.map { "  " + $0 }.joined(separator: "\n"))
        }
      }
      return .done
    } catch {
      console.printError("ozu bench: \(error)")
      return .failed
    }
  }
}
