import Foundation

/// `ozu bench`: measurements on this machine.
enum BenchCommand: Command {
  private static let benchmarks: [(String, @Sendable (BenchOptions) throws -> BenchReport)] = [
    (ThumbnailBench.name, ThumbnailBench.run), (MemoryCacheBench.name, MemoryCacheBench.run),
    (DiskCacheBench.name, DiskCacheBench.run), (EvictionBench.name, EvictionBench.run),
  ]

  static let specification = CommandSpecification(
    name: "bench",
    summary: "Measure on this machine.",
    synopsis: "[BENCHMARK…] [--rounds N] [--operations N] [--traces DIR] [--json]",
    discussion: """
      Benchmarks: thumbnail (decode and resize of the demo's photographs), memory-cache (looks into the memory
      cache and insertions), disk-cache (storing, fetching, opening), eviction (hit ratios of full caches, on traces if a folder is given). All of
      them by default. Figures are processor time unless they say otherwise; subjects take turns in every
      round. Build with optimisation, or the figures mean nothing.
      """,
    options: [
      OptionSpecification(name: "rounds", letter: "n", value: "N", help: "Rounds that count; 7 by default."),
      OptionSpecification(
        name: "operations", value: "N", help: "How often a round does what is short; 200000 by default."),
      OptionSpecification(
        name: "traces", value: "DIR", help: "A folder of recorded traces with EXPECTED.json, for eviction."),
      .json,
    ],
    positional: 0...16)

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let options = BenchOptions(
      rounds: try arguments.integer("rounds", in: 1...1000) ?? 7,
      operations: try arguments.integer("operations", in: 100...100_000_000) ?? 200_000,
      traces: arguments.value("traces"))
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
        let report = try await BlockingWork.run { try benchmark(options) }
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
