import Ozu

/// The work of `ozu load`: all sources, a few at a time.
struct LoadRun: Sendable {
  /// How much is printed of what went well.
  enum Style: Sendable {
    case text, json, quiet
  }

  let recipe: Recipe
  let pipeline: ImagePipeline
  /// How results are written; `nil` where none are.
  let output: (writer: ResultWriter, format: OutputFormat)?
  /// Of what is written.
  let cachePolicy: CachePolicy
  let concurrentLoads: Int
  let console: Console
  let style: Style

  /// Loads all sources and prints the reports in the order of the sources, then what failed, a line each.
  ///
  /// - Returns: whether something failed.
  func loadAll(_ listing: SourceListing) async -> Bool {
    let sources = listing.sources.map(\.text)
    let bar = ProgressBar(total: sources.count, console: console, isShown: style != .quiet)
    return await withTaskGroup(of: (Int, LoadReport).self) { group in
      var waiting = sources.indices[...]
      func startNext() {
        guard let index = waiting.popFirst() else { return }
        group.addTask { (index, await load(sources[index], index) { bar.update(index, fraction: $0) }) }
      }
      for _ in 0..<concurrentLoads { startNext() }
      var reports: [Int: LoadReport] = [:]
      var printedCount = 0
      var failures = listing.problems
      for problem in listing.problems where style == .json { console.print(problem.json.text) }
      for await (index, report) in group {
        startNext()
        bar.finish(index, isFailure: report.isFailure)
        reports[index] = report
        while let next = reports.removeValue(forKey: printedCount) {
          bar.clear()
          print(next)
          if next.isFailure { failures.append(next) }
          printedCount += 1
        }
        // A report may wait for an earlier one, and nothing is written until then.
        console.checkOutput()
      }
      bar.clear()
      // At the end, where they are not lost among the reports of a thousand others.
      for line in failures.compactMap(\.errorLine) { console.printError(line) }
      return !failures.isEmpty
    }
  }

  private func print(_ report: LoadReport) {
    switch style {
    case .json: console.print(report.json.text)
    case .text: if let line = report.line { console.print(line) }
    case .quiet: break
    }
  }

  private func load(
    _ text: String, _ index: Int, onProgress: @escaping @Sendable (Double) -> Void
  ) async -> LoadReport {
    do {
      let limit = pipeline.configuration.limits.encodedByteCount
      let source = try await SourceArgument.read(text, limit: limit)
      let request = ImageRequest(source, resize: recipe.resize, processors: recipe.processors)
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
