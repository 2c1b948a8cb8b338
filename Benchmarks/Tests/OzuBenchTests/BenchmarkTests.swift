import Foundation
import Ozu
import Testing

@testable import OzuBench

// Two that wait for asynchronous work at once would take every thread of a pool of two.
@Suite(.serialized) struct BenchmarkTests {
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

  @Test("drawn pictures are the same every time, and differ in kind", arguments: DrawnPicture.allCases)
  func drawn(kind: DrawnPicture) throws {
    let size = PixelSize(width: 640, height: 480)
    let bitmap = kind.bitmap(size)
    #expect(bitmap.size == size)
    #expect(bitmap == kind.bitmap(size))
    // The kinds differ in the size to which a lossless format compresses them.
    let png = try ImagePipeline.Configuration().decoding.codecs.encode(bitmap, as: .png)
    let share = Double(png.count) / Double(size.pixelCount * 3)
    switch kind {
    case .noise: #expect(share > 0.99)
    case .lineArt, .screenshot: #expect((0.005...0.2).contains(share), "\(share)")
    case .graphics: #expect((0.001...0.1).contains(share), "\(share)")
    }
  }

  @Test("only cases that are wanted are made, whole pictures and thumbnails from one file")
  func cases() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cases = try ThumbnailCase.bundled(in: folder, peers: nil) {
      ["12mp-420-whole/canyon-wren", "12mp-420-320x240/canyon-wren"].contains($0)
    }
    #expect(cases.map(\.size) == [PixelSize(width: 320, height: 240), nil])
    #expect(cases.map(\.isCompared) == [true, false])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
  }

  @Test("the growth of costs is measured at each size, by name")
  func growth() throws {
    let arguments = try BenchArguments(["growth", "--smoke", "--no-peers", "--cases", "at-once"])
    let report = try arguments.benchmarks[0].run(arguments.options)
    #expect(
      report.rows.map(\.name) == ["cold-loads-at-once@10", "one-picture-at-once@10", "cold-loads-at-once@10"])
    #expect(report.rows.allSatisfy { $0.samples.count == 1 && $0.median > 0 })
  }

  @Test("one photograph is measured on one thread and on two, in both kinds of time")
  func twoThreads() throws {
    let arguments = try BenchArguments([
      "two-threads", "--smoke", "--no-peers", "--cases", "12mp-420-320x240",
    ])
    let rows = try arguments.benchmarks[0].run(arguments.options).rows
    #expect(
      rows.map(\.subject) == ["ozu, one thread", "ozu, one thread", "ozu, two threads", "ozu, two threads"])
    #expect(rows.map(\.metric) == ["wall_ms", "cpu_ms", "wall_ms", "cpu_ms"])
    #expect(rows.allSatisfy { $0.samples.count == 1 && $0.median > 0 })
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
