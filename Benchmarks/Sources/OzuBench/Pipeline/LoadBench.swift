import Foundation
import Ozu
import OzuHTTP

/// The cost of a thousand pictures from server to cache, beside the cost of the parts alone: transport, decoding and
/// encoding. The rest above their sum is the pipeline itself: requests, jobs, queues, memory, disk.
///
/// Figures are processor time of the whole process, user and system, per picture. All subjects take turns in each
/// round, through the same HTTP client.
struct LoadBench {
  static let name = "load"
  private static let resize = Resize(PixelSize(width: 320, height: 240), mode: .aspectFill, crops: true)

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
    var footprints: [String: Footprint] = [:]
    for round in 0...rounds {
      // The first does not count for time, which counting allocations takes too.
      let isWarmUp = round == 0
      for (subject, cost, footprint) in try await measure(urls, client, footprint: isWarmUp) {
        if isWarmUp { footprints[subject] = footprint } else { samples[subject, default: []].append(cost) }
      }
    }
    return report(samples, footprints)
  }

  private func report(_ samples: [String: [Double]], _ footprints: [String: Footprint]) -> BenchReport {
    let name = "\(imageCount)x\(BenchServer.photoSize)-c\(concurrency)"
    var report = BenchReport(benchmark: Self.name)
    let subjects = ["ozu", "part:transport", "part:decode", "part:encode", "part:disk"]
    for subject in subjects {
      report.rows.append(
        BenchReport.Row(
          name: name, subject: subject, metric: "cpu_us_per_image", samples: samples[subject] ?? [],
          peakByteCount: footprints[subject]?.peakByteCount,
          allocationCount: footprints[subject]?.allocationCount.map { Double($0) / Double(imageCount) }))
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

  /// The whole and its parts, in microseconds per picture, or what they take of memory.
  private func measure(
    _ urls: [URL], _ client: DefaultHTTPClient, footprint isFootprint: Bool
  ) async throws -> [(subject: String, cost: Double, footprint: Footprint)] {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    var result: [(String, Double, Footprint)] = []
    func note(_ subject: String, _ work: () async throws -> Void) async throws {
      let start = ProcessTime.now
      let footprint: Footprint
      if isFootprint {
        footprint = try await Footprint.of(work)
      } else {
        try await work()
        footprint = Footprint()
      }
      let cost = (ProcessTime.now - start) / .microseconds(1) / Double(urls.count)
      result.append((subject, cost, footprint))
    }

    var bodies: [Data] = []
    var pictures: [Picture] = []
    var renditions: [Data] = []
    try await note("ozu") { try await load(urls, client) }
    try await note("part:transport") { bodies = try await fetch(urls, client) }
    try await note("part:decode") {
      pictures = try await BlockingWork.run { [bodies] in
        try bodies.map { try codecs.picture(from: $0, resize: Self.resize) }
      }
    }
    try await note("part:encode") {
      renditions = try await BlockingWork.run { [pictures] in
        let options = EncodingOptions(
          compressionQuality: ImagePipeline.Configuration().caching.renditionQuality)
        return try pictures.map { try codecs.encode($0.bitmap, as: .jpeg, options: options) }
      }
    }
    try await note("part:disk") { try await store(bodies, renditions) }
    return result
  }

  /// End to end: until every picture is in memory, and every original and rendition on disk.
  private func load(_ urls: [URL], _ client: DefaultHTTPClient) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let pipeline = ImagePipeline {
      $0.network.httpClient = client
      $0.network.concurrentFetches = concurrency
      $0.network.concurrentFetchesPerOrigin = concurrency
      $0.caching.diskStorage = .folder(folder.url, capacity: DiskStorage.standardCapacity)
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
