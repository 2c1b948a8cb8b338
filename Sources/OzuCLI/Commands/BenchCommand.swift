import Foundation
import Ozu

/// `ozu bench`: measurements on this machine.
enum BenchCommand: Command {
  static let specification = CommandSpecification(
    name: "bench",
    summary: "Measure on this machine.",
    synopsis: "[BENCHMARK…] [--rounds N] [--corpus DIR] [--sizes WxH,…] [--peers] [--isolated] [--serve]"
      + " [--operations N] [--traces DIR] [--cases TEXT] [--json]",
    discussion: """
      \(Benchmark.all.map { $0.name.padding(to: 12) + "  " + $0.summary }.joined(separator: "\n"))

      All of them by default. Figures are processor time; subjects take turns in every round. Build with
      optimisation, or the figures mean nothing.

      thumbnail makes its files from the demo's photographs, or takes those of --corpus. Results are compared
      with a full decode and a Lanczos filter in floating point. With --peers, other libraries take part that
      `make bench-peers` installed; run it in the checkout then. disk-cache compares with SQLite and LMDB, and http
      with URLSession, when `ozu` is built with the trait BenchPeers.
      """,
    options: [
      OptionSpecification(name: "rounds", letter: "n", value: "N", help: "Rounds that count; 7 by default."),
      OptionSpecification(
        name: "corpus", value: "DIR", kind: .folder,
        help: "Take the pictures of a folder (thumbnail, formats)."),
      OptionSpecification(
        name: "sizes", value: "WxH,…", help: "What pictures of the corpus become; 320x240 by default."),
      OptionSpecification(name: "peers", help: "Let other libraries do the same (thumbnail)."),
      OptionSpecification(
        name: "isolated", help: "Read with decoders in processes of their own, too (formats; Linux)."),
      OptionSpecification(
        name: "serve", help: "Be the server of benchmarks until standard input ends."),
      OptionSpecification(
        name: "operations", value: "N",
        help: "How often a round does what is short; 200000 by default (caches)."),
      OptionSpecification(
        name: "traces", value: "DIR", kind: .folder,
        help: "A folder of recorded traces with EXPECTED.json (eviction)."),
      OptionSpecification(
        name: "cases", value: "TEXT", help: "Only cases with this in their names (pipeline, isolation)."),
      .json,
    ],
    positional: 0...16,
    operands: .words(Benchmark.all.map(\.name)))

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    if arguments.has("serve") {
      let hasPhotos = arguments.positional.contains(LoadBench.name)
      try? await BlockingWork.run { try BenchServer.serve(console, hasPhotos: hasPhotos) }
      return .done
    }
    let rounds = try arguments.integer("rounds", in: 1...1000) ?? 7
    let options = BenchOptions(
      rounds: rounds,
      operations: try arguments.integer("operations", in: 100...100_000_000) ?? 200_000,
      cases: arguments.value("cases"),
      traces: arguments.value("traces"),
      corpus: arguments.value("corpus").map { URL(filePath: $0, directoryHint: .isDirectory) },
      sizes: try sizes(arguments.value("sizes") ?? "320x240"),
      isolated: arguments.has("isolated"),
      peers: arguments.has("peers") ? URL(filePath: "Benchmarks/peers.py") : nil)
    let names = Benchmark.all.map(\.name)
    for name in arguments.positional where !names.contains(name) {
      throw UsageError(
        "there is no benchmark \"\(name)\"",
        hint: Suggestion.closest(to: name, among: names).map { "Did you mean \"\($0)\"?" }
          ?? "There are: \(names.joined(separator: ", ")).")
    }
    let chosen = Benchmark.all.filter {
      arguments.positional.isEmpty || arguments.positional.contains($0.name)
    }
    do {
      for benchmark in chosen {
        let report = try await benchmark.run(options)
        if arguments.has("json") {
          console.print(report.json.text)
        } else {
          console.print("\(report.benchmark)\n" + report.lines.map { "  " + $0 }.joined(separator: "\n"))
        }
      }
      return .done
    } catch {
      console.printError("ozu bench: \(error.oneLine)")
      return .failed
    }
  }

  private static func sizes(_ text: String) throws(UsageError) -> [PixelSize] {
    var sizes: [PixelSize] = []
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "x").compactMap { Int($0) }
      guard sides.count == 2, sides.allSatisfy((1...16_384).contains) else {
        throw UsageError("\"\(part)\" is not a size", hint: "Sizes read 320x240,640x480.")
      }
      sizes.append(PixelSize(sides[0], sides[1]))
    }
    return sizes
  }
}
