import Foundation
import Ozu

/// How long a single large photograph takes by the wall clock, where a pipeline may decode on one thread and on two, and
/// the processor time of both.
///
/// Rounds of both alternate. Only a machine with two processors that nobody else uses shows what a second thread is worth.
enum TwoThreadsBench {
  static let name = "two-threads"

  private static let sizes = ["320x240", "640x480", "1280x960"]

  static func run(_ options: BenchOptions) throws -> BenchReport {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cases = try ThumbnailCase.bundled(in: folder, peers: nil) { name in
      let isLarge = name.hasPrefix("100mp-420") || sizes.contains { name.hasPrefix("12mp-420-\($0)") }
      return isLarge && options.wants(name) && !(options.isSmoke && name.hasPrefix("100mp"))
    }
    let pipelines = [1, 2].map { count in
      (
        subject: count == 1 ? "ozu, one thread" : "ozu, two threads",
        pipeline: ImagePipeline {
          $0.caching.diskStorage = .none
          $0.caching.memoryCache.costLimit = 0
          $0.decoding.concurrentDecodes = count
        }
      )
    }
    var report = BenchReport(benchmark: name)
    for file in options.isSmoke ? Array(cases.prefix(1)) : cases {
      let request = ImageRequest(url: file.file, resize: file.resize)
      var wall = [[Double]](repeating: [], count: pipelines.count)
      var cpu = wall
      // A round is ten photographs for each, of which the first of all is left out.
      for round in 0...(options.isSmoke ? 1 : 10 * options.rounds) {
        for (index, (_, pipeline)) in pipelines.enumerated() {
          let (start, used) = (ContinuousClock.now, ProcessTime.now)
          _ = try BlockingWork.wait { try await pipeline.image(for: request) }
          guard round > 0 else { continue }
          wall[index].append((ContinuousClock.now - start).milliseconds)
          cpu[index].append((ProcessTime.now - used).milliseconds)
        }
      }
      for (index, (subject, _)) in pipelines.enumerated() {
        report.rows += [("wall_ms", wall[index]), ("cpu_ms", cpu[index])].map {
          BenchReport.Row(name: file.name, subject: subject, metric: $0.0, samples: $0.1)
        }
      }
    }
    return report
  }
}
