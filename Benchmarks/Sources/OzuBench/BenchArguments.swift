import Foundation
import Ozu

/// The arguments of `ozu-bench`.
struct BenchArguments {
  /// Why arguments were not understood.
  struct Misunderstood: Error, CustomStringConvertible {
    let description: String
  }

  /// The benchmarks that were asked for, all if none was named.
  var benchmarks = Benchmark.all
  var options = BenchOptions()
  /// Whether reports are printed as JSON.
  var isJSON = false
  /// Whether this process is the server of the benchmarks.
  var isServer = false
  var wantsHelp = false

  init(_ arguments: [String]) throws(Misunderstood) {
    var names: [String] = []
    var rest = arguments[...]
    func value(of option: String) throws(Misunderstood) -> String {
      guard let value = rest.popFirst() else { throw Misunderstood(description: "\(option) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "-n", "--rounds": options.rounds = try Self.number(value(of: argument), argument)
      case "--operations": options.operations = try Self.number(value(of: argument), argument)
      case "--cases": options.cases = try value(of: argument)
      case "--traces": options.traces = try value(of: argument)
      case "--corpus": options.corpus = URL(filePath: try value(of: argument), directoryHint: .isDirectory)
      case "--sizes": options.sizes = try Self.sizes(value(of: argument))
      case "--isolated": options.isolated = true
      case "--peers": options.peers = .required
      case "--no-peers": options.peers = .none
      case "--smoke":
        options.isSmoke = true
        options.rounds = 1
        options.operations = 100
      case "--json": isJSON = true
      case "--serve": isServer = true
      case "--first-card": options.isFirstCard = true
      case "-h", "--help": wantsHelp = true
      case _ where argument.hasPrefix("-"): throw Misunderstood(description: "there is no option \(argument)")
      default: names.append(argument)
      }
    }
    let known = Benchmark.all.map(\.name)
    for name in names where !known.contains(name) {
      throw Misunderstood(
        description: "there is no benchmark \"\(name)\"; there are: \(known.joined(separator: ", "))")
    }
    if !names.isEmpty { benchmarks = Benchmark.all.filter { names.contains($0.name) } }
  }

  private static func number(_ text: String, _ option: String) throws(Misunderstood) -> Int {
    guard let number = Int(text), (1...100_000_000).contains(number) else {
      throw Misunderstood(description: "\(option): \"\(text)\" is not a number from 1 to 100000000")
    }
    return number
  }

  private static func sizes(_ text: String) throws(Misunderstood) -> [PixelSize] {
    var sizes: [PixelSize] = []
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "x").compactMap { Int($0) }
      guard sides.count == 2, sides.allSatisfy((1...16_384).contains) else {
        throw Misunderstood(description: "\"\(part)\" is not a size; sizes read 320x240,640x480")
      }
      sizes.append(PixelSize(width: sides[0], height: sides[1]))
    }
    return sizes
  }

  static var help: String {
    let width = Benchmark.all.map(\.name.count).max() ?? 0
    let list = Benchmark.all.map { benchmark in
      "  \(benchmark.name)\(String(repeating: " ", count: width - benchmark.name.count))  \(benchmark.summary)"
    }
    return """
      usage: make bench ARGS='[BENCHMARK…] [OPTION…]'

      \(list.joined(separator: "\n"))

      All of them by default. Figures are processor time; subjects take turns in every round. Other libraries take part
      where `make bench-peers` has installed them.

        --rounds N      rounds that count; 7 by default
        --operations N  how often a round does what is short; 200000 by default (caches)
        --cases TEXT    only cases with this in their names (thumbnail, pipeline, isolation)
        --corpus DIR    take the pictures of a folder (thumbnail, formats)
        --sizes WxH,…   what pictures of the corpus become; 320x240 by default
        --traces DIR    a folder of recorded traces with EXPECTED.json (eviction)
        --isolated      read with decoders in processes of their own, too (formats; Linux)
        --peers         fail where the other libraries are not installed
        --no-peers      leave other libraries out
        --smoke         one small round, to see that a benchmark works; its figures mean nothing
        --json          print one JSON object for each benchmark
      """
  }
}
