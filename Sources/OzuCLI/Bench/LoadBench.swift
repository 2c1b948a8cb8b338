import Foundation
import Ozu
import OzuHTTP

/// What a thousand pictures cost from server to cache, beside what the parts of the way cost alone: transport, decoding
/// and encoding. What the whole costs above their sum is the pipeline itself: requests, jobs, queues, memory, disk.
///
/// Figures are processor time of the whole process, user and system, per picture. All subjects take turns in each
/// round, through the same HTTP client.
struct LoadBench {
  static let name = "load"
  private static let resize = Resize(PixelSize(320, 240), mode: .aspectFill, crops: true)

  var imageCount = 1000
  var concurrency = 6

  static func run(_ options: BenchOptions) async throws -> BenchReport {
    // A round is three thousand pictures; three of them tell as much as seven.
    try await LoadBench().run(rounds: min(options.rounds, 3))
  }

  func run(rounds: Int) async throws -> BenchReport {
    let server = try BenchServer(hasPhotos: true)
    defer { server.stop() }
    var configuration = HTTPClientConfiguration()
    configuration.proxy = .none
    configuration.maximumConcurrentRequests = concurrency
    configuration.maximumConnectionsPerHost = concurrency
    let client = DefaultHTTPClient(configuration: configuration)
    let urls = (0..<imageCount).map(server.photo)

    var samples: [String: [Double]] = [:]
    for round in 0...rounds {
      for (subject, cost) in try await measure(urls, client) where round > 0 {
        samples[subject, default: []].append(cost)
      }
    }
    return report(samples)
  }

  private func report(_ samples: [String: [Double]]) -> BenchReport {
    let name = "\(imageCount)x\(BenchServer.photoSize)-c\(concurrency)"
    var report = BenchReport(benchmark: Self.name)
    let subjects = ["ozu", "part:transport", "part:decode", "part:encode", "part:disk"]
    for subject in subjects {
      report.rows.append(
        BenchReport.Row(
          name: name, subject: subject, metric: "cpu_us_per_image", samples: samples[subject] ?? []))
    }
    let rounds = samples["ozu"]?.indices ?? 0..<0
    let ratios = rounds.map { round in
      let parts = subjects[1...3].reduce(0) { $0 + (samples[$1]?[round] ?? .nan) }
      return (samples["ozu"]?[round] ?? .nan) / parts
    }
    report.rows.append(
      BenchReport.Row(
        name: name, subject: "ozu", metric: "of_transport_decode_encode", samples: ratios, digits: 3))
    return report
  }

  // MARK: A round

  /// The whole and its parts, in microseconds per picture.
  private func measure(_ urls: [URL], _ client: DefaultHTTPClient) async throws -> [(String, Double)] {
    let codecs = ImagePipeline.Configuration().codecs
    let count = Double(urls.count)
    var result: [(String, Double)] = []
    func note(_ subject: String, since start: Duration) {
      result.append((subject, (ProcessTime.now - start) / .microseconds(1) / count))
    }

    var start = ProcessTime.now
    try await load(urls, client)
    note("ozu", since: start)

    start = ProcessTime.now
    let bodies = try await fetch(urls, client)
    note("part:transport", since: start)

    start = ProcessTime.now
    let pictures = try await BlockingWork.run {
      try bodies.map { try codecs.picture(from: $0, resize: Self.resize) }
    }
    note("part:decode", since: start)

    start = ProcessTime.now
    let renditions = try await BlockingWork.run {
      let options = EncodingOptions(compressionQuality: ImagePipeline.Configuration().renditionQuality)
      return try pictures.map { try codecs.encode($0.bitmap, as: .jpeg, options: options) }
    }
    note("part:encode", since: start)

    start = ProcessTime.now
    try await store(bodies, renditions)
    note("part:disk", since: start)
    return result
  }

  /// End to end: until every picture is in memory, and every original and rendition on disk.
  private func load(_ urls: [URL], _ client: DefaultHTTPClient) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let pipeline = ImagePipeline {
      $0.httpClient = client
      $0.concurrentFetches = concurrency
      $0.diskStorage = .folder(folder.url, capacity: DiskStorage.standardCapacity)
    }
    try await concurrently(urls) { url in
      _ = try await pipeline.image(for: ImageRequest(url: url, resize: Self.resize))
    }
    await pipeline.flush()
  }

  private func fetch(_ urls: [URL], _ client: DefaultHTTPClient) async throws -> [Data] {
    try await withThrowingTaskGroup(of: [(Int, Data)].self) { group in
      for worker in 0..<concurrency {
        group.addTask {
          var bodies: [(Int, Data)] = []
          for index in stride(from: worker, to: urls.count, by: concurrency) {
            bodies.append((index, try await client.data(from: urls[index]).body))
          }
          return bodies
        }
      }
      var bodies = urls.map { _ in Data() }
      for try await part in group {
        for (index, body) in part { bodies[index] = body }
      }
      return bodies
    }
  }

  private func store(_ originals: [Data], _ renditions: [Data]) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await BlockingWork.run {
      let path = folder.url.path(percentEncoded: false)
      let cache = try DiskCache(directory: path)
      for (number, data) in (originals + renditions).enumerated() {
        cache.store(data, forKey: CacheKey("\(number)"), in: DiskCache.Partition("bench"))
      }
      try cache.flush()
      cache.close()
    }
  }

  private func concurrently(
    _ urls: [URL], _ work: @escaping @Sendable (URL) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<concurrency {
        group.addTask {
          for index in stride(from: worker, to: urls.count, by: concurrency) { try await work(urls[index]) }
        }
      }
      try await group.waitForAll()
    }
  }
}

/// A folder of a benchmark's own.
private struct TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: url) }
}
