import Foundation
import Ozu
import OzuHTTP
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The cost of a small download. For leaks and peaks of a client see `HTTPEnduranceBench`.
///
/// `URLSession` does the same in the same run.
struct HTTPBench {
  static let name = "http"

  var requestCount = 5000
  var concurrencies = [6, 64]
  var endurance = HTTPEnduranceBench()

  static func run(rounds: Int) throws -> BenchReport {
    // A round is twenty thousand requests; three of them tell as much as seven.
    try HTTPBench().run(rounds: min(rounds, 3))
  }

  func run(rounds: Int) throws -> BenchReport {
    let server = try BenchServer()
    defer { server.stop() }
    // First, while no session of the other has descriptors of its own.
    let lasting = try endurance.rows(server, rounds: rounds)
    var report = BenchReport(benchmark: Self.name)
    for concurrency in concurrencies {
      let subjects = subjects(concurrency)
      var samples = subjects.map { _ in [Sample]() }
      for round in 0...rounds {
        // They take turns ten times in a round: a machine that is busy for a second is so for both.
        let sliceCount = min(10, requestCount)
        var sums = subjects.map { _ in Sample() }
        for _ in 0..<sliceCount {
          for (index, subject) in subjects.enumerated() {
            sums[index] += try measure(
              subject.load, server.url(.small), requestCount / sliceCount, concurrency)
          }
        }
        if round > 0 { for (index, sum) in sums.enumerated() { samples[index].append(sum) } }
      }
      for (index, subject) in subjects.enumerated() {
        let name = "\(requestCount)x\(BenchServer.smallByteCount / 1000)KB-c\(concurrency)"
        report.rows.append(
          BenchReport.Row(
            name: name, subject: subject.name, metric: "cpu_us_per_request",
            samples: samples[index].map(\.cpuMicroseconds)))
        report.rows.append(
          BenchReport.Row(
            name: name, subject: subject.name, metric: "requests_per_second",
            samples: samples[index].map(\.requestsPerSecond)))
      }
    }
    report.rows += lasting
    return report
  }

  // MARK: Subjects

  private struct Subject {
    let name: String
    let load: @Sendable (URL) async throws -> Int
  }

  private func subjects(_ concurrency: Int) -> [Subject] {
    [ozu(concurrency), urlSession(concurrency)]
  }

  private func ozu(_ concurrency: Int) -> Subject {
    var configuration = HTTPClientConfiguration()
    configuration.proxy = .none
    configuration.maximumConcurrentRequests = concurrency
    configuration.maximumConnectionsPerHost = concurrency
    let client = DefaultHTTPClient(configuration: configuration)
    return Subject(name: "ozu") { url in try await client.data(from: url).body.count }
  }

  private func urlSession(_ concurrency: Int) -> Subject {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = concurrency
    let session = URLSession(configuration: configuration)
    return Subject(name: "URLSession") { url in try await session.data(from: url).0.count }
  }

  // MARK: Measuring

  private struct Sample {
    var requestCount = 0
    var cpu = Duration.zero
    var wall = Duration.zero

    var cpuMicroseconds: Double { cpu.milliseconds * 1000 / Double(requestCount) }
    var requestsPerSecond: Double { Double(requestCount) / (wall.milliseconds / 1000) }

    static func += (sum: inout Sample, slice: Sample) {
      sum.requestCount += slice.requestCount
      sum.cpu += slice.cpu
      sum.wall += slice.wall
    }
  }

  private struct WrongBody: Error {}

  private func measure(
    _ load: @escaping @Sendable (URL) async throws -> Int, _ url: URL, _ requestCount: Int,
    _ concurrency: Int
  ) throws -> Sample {
    let (cpu, start) = (ProcessTime.now, ContinuousClock.now)
    try BlockingWork.wait {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<concurrency {
          group.addTask {
            for _ in stride(from: worker, to: requestCount, by: concurrency) {
              guard try await load(url) == BenchServer.smallByteCount else { throw WrongBody() }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    return Sample(
      requestCount: requestCount, cpu: ProcessTime.now - cpu, wall: start.duration(to: .now))
  }
}
