/// A benchmark of `ozu bench`.
struct Benchmark: Sendable {
  /// How it is asked for.
  let name: String
  /// What it measures, for the help page.
  let summary: String
  let run: @Sendable (BenchOptions) async throws -> BenchReport

  /// A benchmark that stays on one thread, away from Swift's cooperative pool.
  static func blocking(
    _ name: String, _ summary: String, _ run: @escaping @Sendable (BenchOptions) throws -> BenchReport
  ) -> Benchmark {
    Benchmark(name: name, summary: summary) { options in try await BlockingWork.run { try run(options) } }
  }

  static let all = portable + isolation

  #if os(Linux)
    private static let isolation = [
      blocking(IsolationBench.name, "decoding in processes of their own", IsolationBench.run)
    ]
  #else
    private static let isolation: [Benchmark] = []
  #endif

  private static let portable = [
    blocking(ThumbnailBench.name, "decode and resize of photographs", ThumbnailBench.run),
    blocking(FormatsBench.name, "reading and writing each format, and previews", FormatsBench.run),
    blocking(ProcessingBench.name, "processors, and the files of renditions", ProcessingBench.run),
    blocking(MemoryCacheBench.name, "looks into the memory cache, and insertions", MemoryCacheBench.run),
    blocking(
      GalleryBench.name, "memory hits of a gallery that is scrolled while others insert", GalleryBench.run),
    blocking(DiskCacheBench.name, "storing, fetching and opening", DiskCacheBench.run),
    blocking(DiskCurveBench.name, "the same from a thousand to a million entries", DiskCurveBench.run),
    blocking(
      EvictionBench.name, "hit ratios of full caches, on traces if a folder is given", EvictionBench.run),
    blocking(HTTPBench.name, "downloads; cancelling, and what 50,000 leave behind") {
      try HTTPBench.run(rounds: $0.rounds)
    },
    Benchmark(
      name: PipelineBench.name, summary: "a request apart from loading and decoding", run: PipelineBench.run),
    Benchmark(
      name: LoadBench.name, summary: "1,000 pictures from a server into the caches, beside the parts alone",
      run: LoadBench.run),
  ]
}
