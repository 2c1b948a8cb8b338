import Foundation

/// `ozu bench`: measurements on this machine.
enum BenchCommand: Command {
  private static let benchmarks: [(String, @Sendable (Int) throws -> BenchReport)] = [
    (ThumbnailBench.name, ThumbnailBench.run), (MemoryHitBench.name, MemoryHitBench.run),
    (HTTPBench.name, HTTPBench.run),
  ]

  static let specification = CommandSpecification(
    name: "bench",
    summary: "Measure on this machine.",
    synopsis: "[BENCHMARK…] [--rounds N] [--json]",
    discussion: """
      Benchmarks: thumbnail (decode and resize of the demo's photographs), memory-hit (a look into the memory
      cache), http (5,000 small downloads from a server on this machine, beside URLSession). All of them by
      default. Figures are processor time; subjects take turns in every round. Build
      with optimisation, or the figures mean nothing.
      """,
    options: [
      OptionSpecification(name: "rounds", letter: "n", value: "N", help: "Rounds that count; 7 by default."),
      OptionSpecification(
        name: "serve", help: "Be the server of the benchmark http until standard input ends."),
      .json,
    ],
    positional: 0...16)

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    if arguments.has("serve") {
      try? await BlockingWork.run { try HTTPBench.serve(console) }
      return .done
    }
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
        let report = try await BlockingWork.run { try benchmark(rounds) }
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
