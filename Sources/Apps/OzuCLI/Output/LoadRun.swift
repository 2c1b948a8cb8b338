import Ozu

/// The work of `ozu load`: all sources, a few at a time.
struct LoadRun: Sendable {
  let recipe: Recipe
  let pipeline: ImagePipeline
  /// The writer of the results; `nil` without `-o`.
  let output: (writer: ResultWriter, format: OutputFormat)?
  /// The use of the caches for results that are written.
  let cachePolicy: CachePolicy
  let run: SourceRun<LoadReport>

  /// Loads all sources and prints the reports.
  ///
  /// - Returns: whether something failed.
  func loadAll(_ listing: SourceListing) async -> Bool {
    await run.run(listing.sources, problems: listing.problems, load) { report in
      switch run.style {
      case .json: run.console.print(report.json.text)
      case .text: if let line = report.line { run.console.print(line) }
      case .quiet: break
      }
    }
  }

  private func load(
    _ text: String, _ index: Int, _ onProgress: @escaping @Sendable (Double) -> Void
  ) async -> LoadReport {
    do {
      let limit = pipeline.configuration.decoding.limits.encodedByteCount
      let source = try await SourceArgument.read(text, limit: limit)
      let request = recipe.request(source)
      let loaded =
        if let output {
          LoadReport.Loaded(
            try await output.writer.write(
              request.with { $0.cachePolicy = cachePolicy }, as: output.format, forSource: index))
        } else {
          LoadReport.Loaded(try await show(request, onProgress))
        }
      return LoadReport(source: text, outcome: .success(loaded))
    } catch {
      return LoadReport(source: text, outcome: .failure(error))
    }
  }

  private func show(
    _ request: ImageRequest, _ onProgress: @escaping @Sendable (Double) -> Void
  ) async throws(ImageError) -> ImageResponse {
    let task = pipeline.task(for: request)
    let watcher = Task {
      for await progress in task.progress { if let fraction = progress.fraction { onProgress(fraction) } }
    }
    defer { watcher.cancel() }
    return try await task.response
  }
}
