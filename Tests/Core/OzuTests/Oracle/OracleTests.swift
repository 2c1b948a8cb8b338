import Foundation
import OzuTesting
import Testing

@testable import Ozu

/// The pipeline beside the oracle under random operations, as `make oracle` does with thousands of seeds.
@Suite("The pipeline and the oracle")
struct OracleTests {
  /// The number of seeds; `OZU_ORACLE_SEEDS` for another one.
  private static let seedCount = setting("OZU_ORACLE_SEEDS") ?? Cases.count(300, of: 1000)
  /// The first seed.
  private static let firstSeed = setting("OZU_ORACLE_FIRST") ?? 0
  /// Whether the operations of a seed that fails are shortened; not with `OZU_ORACLE_SHORTEN=0`.
  private static let shortens = setting("OZU_ORACLE_SHORTEN") != 0
  private static let parts = 4

  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(
    "agree on every answer, whatever was loaded, removed, held and changed before", arguments: 0..<Self.parts)
  func agree(part: Int) async throws {
    var oracle = OraclePipeline()
    var counts: [String: Int] = [:]
    var failureCount = 0
    for seed in stride(from: Self.firstSeed + part, to: Self.firstSeed + Self.seedCount, by: Self.parts) {
      let operations = OracleOperation.operations(seed: UInt64(seed))
      let settings = OracleSettings(seed: UInt64(seed))
      var run = OracleRun(oracle, settings)
      let problem = try await run.play(operations)
      oracle = run.oracle
      counts.merge(run.counts) { $0 + $1 }
      guard let problem else { continue }
      if !Self.shortens {
        Issue.record("seed \(seed): \(problem)")
        return
      }
      let shortest = try await Self.shortest(operations, oracle, settings)
      Issue.record(
        """
        seed \(seed): \(problem)
        The shortest list of operations, with \(settings): \(shortest.problem ?? "none fails again")
        \(shortest.operations.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n"))
        """)
      failureCount += 1
      if failureCount == 3 { return }
    }
    if ProcessInfo.processInfo.environment["OZU_ORACLE_SEEDS"] != nil {
      print(counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
    }
  }

  /// Leaves out operations as long as the run fails.
  private static func shortest(
    _ operations: [OracleOperation], _ oracle: OraclePipeline, _ settings: OracleSettings
  ) async throws -> (operations: [OracleOperation], problem: String?) {
    var (shortest, problem): ([OracleOperation], String?) = (operations, nil)
    var index = shortest.count - 1
    while index >= 0 {
      var shorter = shortest
      shorter.remove(at: index)
      var run = OracleRun(oracle, settings)
      if let its = try await run.play(shorter) { (shortest, problem) = (shorter, its) }
      index = min(index, shortest.count) - 1
    }
    return (shortest, problem)
  }
}
