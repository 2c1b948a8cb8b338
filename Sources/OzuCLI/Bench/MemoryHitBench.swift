import Foundation
import Ozu
import OzuSynchronization

/// What a request costs that memory answers, synchronously and awaited.
enum MemoryHitBench {
  static let name = "memory-hit"
  private static let pictureCount = 1000
  private static let hitsPerRound = 100_000

  static func run(_ options: BenchOptions) throws -> BenchReport {
    let cache = MemoryCache<ImageKey, Picture>(MemoryCacheConfiguration(costLimit: 1 << 30))
    let plain = Mutex<[ImageKey: Picture]>([:])
    let picture = Picture(Bitmap(size: PixelSize(8, 8)) { _, _ in Pixel(red: 1, green: 2, blue: 3) })
    let requests = (0..<pictureCount).compactMap { index in
      URL(string: "https://example.com/albums/holiday/photographs/\(index)/large.jpg").map {
        ImageRequest(url: $0, resize: Resize(PixelSize(320, 240)))
      }
    }
    for request in requests {
      cache.insert(picture, forKey: request.key, cost: picture.byteCount)
      plain.withLock { $0[request.key] = picture }
    }
    let subjects = [
      Rounds.Subject(name: "ozu") {
        for index in 0..<hitsPerRound { try check(cache.value(forKey: requests[index % pictureCount].key)) }
      },
      Rounds.Subject(name: "yardstick:mutex-and-dictionary") {
        for index in 0..<hitsPerRound {
          try check(plain.withLock { $0[requests[index % pictureCount].key] })
        }
      },
    ]
    let samples = try Rounds.cpuMilliseconds(subjects, rounds: options.rounds)
    var report = BenchReport(benchmark: name)
    for (index, subject) in subjects.enumerated() {
      report.rows.append(
        BenchReport.Row(
          name: "hit-\(pictureCount)-entries", subject: subject.name, metric: "cpu_ns_per_hit",
          samples: samples[index].map { $0 * 1e6 / Double(hitsPerRound) }))
    }
    return report
  }

  private struct Missed: Error {}

  private static func check(_ picture: Picture?) throws {
    if picture == nil { throw Missed() }
  }
}
