import Foundation
import Testing

@testable import OzuBench

@Suite struct BenchmarkTests {
  @Test("a benchmark prints one object of the common form")
  func form() throws {
    let arguments = try BenchArguments(["memory-cache", "--smoke", "--no-peers"])
    let benchmark = try #require(arguments.benchmarks.first)
    #expect(arguments.benchmarks.count == 1)
    let text = try benchmark.run(arguments.options).json()
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["benchmark"] as? String == "memory-cache")
    #expect((object["machine"] as? [String: Any])?["cores"] as? Int ?? 0 > 0)
    let rows = try #require(object["rows"] as? [[String: Any]])
    #expect(
      Set(rows.compactMap { $0["subject"] as? String })
        == [
          "ozu", "yardstick:mutex-and-identity-dictionary", "yardstick:mutex", "yardstick:memcpy",
          "Foundation NSCache", "yardstick:nothing", "yardstick:retain-and-release",
        ])
    for row in rows {
      #expect(Set(row.keys).isSuperset(of: ["case", "subject", "metric", "median", "min", "max", "runs"]))
      #expect((row["median"] as? Double ?? -1) >= 0)
    }
  }

  @Test("the benchmark of downloads measures each client, and says what is left behind")
  func http() throws {
    let endurance = HTTPEnduranceBench(requestCount: 20, cancelCount: 10, includesLargeBody: false)
    let report = try HTTPBench(requestCount: 20, concurrencies: [4], endurance: endurance).run(rounds: 1)
    let (costs, rest) = (report.rows.prefix(4), report.rows.dropFirst(4))
    #expect(costs.map(\.subject) == ["ozu", "ozu", "URLSession", "URLSession"])
    #expect(costs.allSatisfy { $0.name == "20x20KB-c4" && $0.median > 0 })
    #expect(
      rest.map(\.metric) == [
        "resident_growth_bytes", "resident_bytes", "descriptors_left", "median_ms", "p99_ms", "median_ms",
        "p99_ms",
      ])
    #expect(rest.allSatisfy { $0.samples.count == 1 && $0.median.isFinite })
  }

  @Test("the benchmark load measures the whole and its parts")
  func load() async throws {
    let report = try await LoadBench(imageCount: 12, concurrency: 3).run(rounds: 1)
    #expect(
      report.rows.map(\.subject) == [
        "ozu", "part:transport", "part:decode", "part:encode", "part:disk", "ozu",
      ])
    #expect(report.rows.allSatisfy { $0.samples.count == 1 && $0.median > 0 })
  }

  @Test(
    "arguments that mean nothing are refused, with what there is",
    arguments: [
      (["thumbnails"], "there are: thumbnail, "), (["--round", "3"], "there is no option --round"),
      (["--rounds"], "--rounds needs a value"), (["--rounds", "0"], "\"0\" is not a number"),
      (["--sizes", "320"], "sizes read 320x240,640x480"),
    ])
  func refused(words: [String], part: String) {
    #expect { try BenchArguments(words) } throws: { "\($0)".contains(part) }
  }
}
