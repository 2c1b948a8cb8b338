import Foundation
import Ozu
import Synchronization

/// How long a memory hit takes, by the wall clock, while the pipeline is busy with hundreds of disk hits.
///
/// The hits are taken one after the other until the last disk hit is answered; the 99th percentile is what a list that
/// scrolls would notice. A machine that others use adds their turns to it.
enum PipelineLatencyBench {
  private static let count = 500
  private static let byteCount = 300_000

  static func rows(_ rounds: Int) async throws -> [BenchReport.Row] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let requests = PipelineBench.requests(count + 1)
    let first = pipeline(folder)
    for request in requests { _ = try await first.image(for: request) }
    await first.flush()

    var synchronous: [Double] = []
    var awaited: [Double] = []
    var alone: [Double] = []
    for round in 0...rounds {
      let quiet = try await latencies(folder, requests, isBusy: false, isAwaited: false)
      let fromCache = try await latencies(folder, requests, isBusy: true, isAwaited: false)
      let fromAwait = try await latencies(folder, requests, isBusy: true, isAwaited: true)
      guard round > 0 else { continue }
      alone.append(percentile(quiet))
      synchronous.append(percentile(fromCache))
      awaited.append(percentile(fromAwait))
    }
    return [
      row("memory-hit-synchronous-quiet", alone),
      row("memory-hit-synchronous-during-500-disk-hits", synchronous),
      row("memory-hit-awaited-during-500-disk-hits", awaited),
    ]
  }

  private static func row(_ name: String, _ samples: [Double]) -> BenchReport.Row {
    BenchReport.Row(name: name, subject: "ozu", metric: "wall_us_p99", samples: samples)
  }

  private static func percentile(_ samples: [Double]) -> Double {
    let sorted = samples.sorted()
    return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
  }

  private static func pipeline(_ folder: URL) -> ImagePipeline {
    ImagePipeline {
      $0.network.httpClient = InstantClient(byteCount: byteCount)
      $0.caching.diskStorage = .folder(folder, capacity: 1 << 30)
      $0.decoding.codecs.register(decoder: OnePixelDecoder())
    }
  }

  private static func latencies(
    _ folder: URL, _ requests: [ImageRequest], isBusy: Bool, isAwaited: Bool
  ) async throws -> [Double] {
    let pipeline = pipeline(folder)
    let hot = requests[count]
    _ = try await pipeline.image(for: hot)
    let remaining = Remaining(isBusy ? count : 0)
    if isBusy {
      for request in requests[..<count] {
        pipeline.loadImage(for: request, queue: .global()) { _ in remaining.decrement() }
      }
    }
    var samples: [Double] = []
    while remaining.isSome || samples.count < 2000 {
      let start = ContinuousClock.now
      let picture = isAwaited ? try await pipeline.image(for: hot) : pipeline.cachedImage(for: hot)
      samples.append(start.duration(to: .now) / .microseconds(1))
      if picture == nil { throw PipelineBench.Missed() }
    }
    return samples
  }

  private final class Remaining: Sendable {
    private let count: Atomic<Int>

    init(_ count: Int) { self.count = Atomic(count) }

    var isSome: Bool { count.load(ordering: .relaxed) > 0 }

    func decrement() { count.subtract(1, ordering: .relaxed) }
  }
}
