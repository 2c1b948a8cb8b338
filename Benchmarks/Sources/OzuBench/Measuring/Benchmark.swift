/// A benchmark of this program.
struct Benchmark: Sendable {
  /// How it is asked for.
  let name: String
  /// The measured quantity, for the help page.
  let summary: String
  /// Measures on the calling thread, which is none of Swift's cooperative pool.
  let run: @Sendable (BenchOptions) throws -> BenchReport

  init(
    _ name: String, _ summary: String, _ run: @escaping @Sendable (BenchOptions) throws -> BenchReport
  ) {
    (self.name, self.summary, self.run) = (name, summary, run)
  }

  static let all = portable + isolation

  #if os(Linux)
    private static let isolation = [
      Benchmark(IsolationBench.name, "decoding in processes of their own", IsolationBench.run)
    ]
  #else
    private static let isolation: [Benchmark] = []
  #endif

  private static let portable = [
    Benchmark(ThumbnailBench.name, "decode and resize of photographs", ThumbnailBench.run),
    Benchmark(BrightBench.name, "thumbnails of high dynamic range beside the same in sRGB", BrightBench.run),
    Benchmark(FolderBench.name, "1,000 photographs from files into memory", FolderBench.run),
    Benchmark(
      TwoThreadsBench.name, "one large photograph by the wall clock, on one thread and on two",
      TwoThreadsBench.run),
    Benchmark(GrowthBench.name, "costs by megapixels, entries and requests at once", GrowthBench.run),
    Benchmark(FormatsBench.name, "reading and writing each format, and previews", FormatsBench.run),
    Benchmark(
      CardsBench.name, "a card with text, drawn again and again, and by a new process", CardsBench.run),
    Benchmark(ProcessingBench.name, "processors, and the files of renditions", ProcessingBench.run),
    Benchmark(MemoryCacheBench.name, "looks into the memory cache, and insertions", MemoryCacheBench.run),
    Benchmark(
      GalleryBench.name, "memory hits of a gallery that is scrolled while others insert", GalleryBench.run),
    Benchmark(DiskCacheBench.name, "storing, fetching and opening", DiskCacheBench.run),
    Benchmark(DiskCurveBench.name, "the same from a thousand to a million entries", DiskCurveBench.run),
    Benchmark(
      EvictionBench.name, "hit ratios of full caches, on traces if a folder is given", EvictionBench.run),
    Benchmark(HTTPBench.name, "downloads; cancelling, and what 50,000 leave behind") {
      try HTTPBench.run(rounds: $0.rounds)
    },
    Benchmark(PipelineBench.name, "a request apart from loading and decoding") { options in
      try BlockingWork.wait { try await PipelineBench.run(options) }
    },
    Benchmark(LoadBench.name, "1,000 pictures from a server into the caches, beside the parts alone") {
      options in
      try BlockingWork.wait { try await LoadBench.run(options) }
    },
  ]
}
