import Foundation
import Ozu
import OzuTesting
import Synchronization

/// The cost of memory hits where they matter: on the main thread of a gallery that is scrolled while other threads
/// insert (`GalleryTrace`, `GalleryPlayer`). The cache holds 160 of the 1,200 pictures.
enum GalleryBench {
  static let name = "gallery"

  private struct CacheStore: GalleryStore {
    let cache = MemoryCache<ImageKey, Picture>(
      MemoryCacheConfiguration(costLimit: 160 * GalleryTrace.byteCount))
    let keys: [ImageKey]
    let picture: Picture

    func lookUp(_ index: Int) -> Bool { cache.value(forKey: keys[index]) != nil }
    func contains(_ index: Int) -> Bool { cache.contains(keys[index]) }
    func insert(_ index: Int) { cache.store(picture, forKey: keys[index], cost: GalleryTrace.byteCount) }
  }

  /// A lock around a dictionary that holds everything: the least that a cache can do.
  private struct DictionaryStore: GalleryStore {
    private final class Table: Sendable {
      let entries = Mutex<[MemoryCacheBench.IdentityKey: Picture]>([:])
    }

    private let table = Table()
    private let keys: [MemoryCacheBench.IdentityKey]
    private let picture: Picture

    init(keys: [ImageKey], picture: Picture) {
      self.keys = keys.map {
        MemoryCacheBench.IdentityKey(high: $0.rendition.high, low: $0.rendition.low)
      }
      self.picture = picture
    }

    func lookUp(_ index: Int) -> Bool { table.entries.withLock { $0[keys[index]] } != nil }
    func contains(_ index: Int) -> Bool { lookUp(index) }
    func insert(_ index: Int) { table.entries.withLock { $0[keys[index]] = picture } }
  }

  static func run(_ options: BenchOptions) -> BenchReport {
    var report = BenchReport(benchmark: name)
    let keys = (0..<GalleryTrace.count).compactMap { index in
      URL(string: "https://example.com/albums/holiday/photographs/\(index)/large.jpg").map {
        ImageRequest(url: $0, resize: Resize(PixelSize(width: 160, height: 160))).key
      }
    }
    let picture = Picture(
      Bitmap(size: PixelSize(width: 8, height: 8)) { _, _ in Pixel(red: 1, green: 2, blue: 3) })
    let trace = GalleryTrace(seed: 3, frameCount: min(720, max(1, options.operations / 100)))
    let clocks = costOfClocks()
    for (pace, isPaced) in [("paced", true), ("back-to-back", false)] {
      // Its own rounds and not those of `Rounds`: the figures are of the main thread's lookups, frame by frame.
      var cache: [GalleryPlayer<CacheStore>.Figures] = []
      var dictionary: [GalleryPlayer<DictionaryStore>.Figures] = []
      for round in 0...options.rounds {
        let own = GalleryPlayer(CacheStore(keys: keys, picture: picture), trace, isPaced: isPaced).play()
        let other = GalleryPlayer(
          DictionaryStore(keys: keys, picture: picture), trace, isPaced: isPaced
        ).play()
        guard round > 0 else { continue }
        cache.append(own)
        dictionary.append(other)
      }
      add(pace, "ozu", cache.map { ($0.cpu, $0.wall) }, trace, clocks, &report)
      add(
        pace, "yardstick:mutex-and-identity-dictionary", dictionary.map { ($0.cpu, $0.wall) }, trace, clocks,
        &report)
    }
    return report
  }

  private static func add(
    _ pace: String, _ subject: String, _ rounds: [(cpu: [Double], wall: [Double])], _ trace: GalleryTrace,
    _ clocks: Double, _ report: inout BenchReport
  ) {
    let metrics: [(String, ([Double], [Double]) -> Double)] = [
      (
        "cpu_ns_per_lookup",
        { cpu, _ in cpu.reduce(0) { $0 + max(0, $1 - clocks) } / Double(trace.lookupCount) }
      ),
      ("cpu_us_per_frame", { cpu, _ in max(0, quantile(cpu, 0.5) - clocks) / 1000 }),
      ("wall_us_per_frame_p99", { _, wall in quantile(wall, 0.99) / 1000 }),
      (
        "percent_of_a_frame",
        { _, wall in quantile(wall, 0.5) * GalleryTrace.framesPerSecond / 1e9 * 100 }
      ),
    ]
    for (metric, figure) in metrics {
      report.rows.append(
        BenchReport.Row(
          name: "gallery-\(pace)", subject: subject, metric: metric,
          samples: rounds.map { figure($0.cpu, $0.wall) }))
    }
  }

  private static func quantile(_ values: [Double], _ share: Double) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }

  /// The processor time that the clocks around a frame's lookups add to them, in nanoseconds.
  private static func costOfClocks() -> Double {
    let samples = (0..<1000).map { _ in
      let start = DecodingContext.systemThreadTime()
      let (first, second) = (ContinuousClock.now, ContinuousClock.now)
      let end = DecodingContext.systemThreadTime()
      return second >= first ? (end - start) / .nanoseconds(1) : 0
    }
    return quantile(samples, 0.5)
  }
}
