import Foundation
import Ozu

/// `ozu load`: sources through the pipeline, results into files, and where each came from.
enum LoadCommand: Command {
  static let specification = CommandSpecification(
    name: "load",
    summary: "Load images, resize them, write the results.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    discussion: """
      A SOURCE is a web address, a data: address, the path of a file, or - for standard input. Without -o finished
      pictures stay in the disk cache, and the same call is answered from there the next time. With -o each result is
      made from its original, so that it is the same in every state of the cache.

      -o FILE replaces a file whole or not at all and keeps its permissions. Links are followed; another hard link
      to the file keeps the old contents. Devices and pipes are written to, and so is standard output for -o -, with
      the reports on standard error. -o DIR, for several sources, names each result for its source. A result that
      could take the place of a source is refused, unless --overwrite-sources is given and the source is its own.

      Each source gets one line: its size, the place it came from (memory, disk-rendition, disk-original,
      revalidated, stale, derived-from-larger, network) and how long each stage took. A local file counts as
      disk-original. With --json "reason" says why what came from the web came from there.

      --trace draws every request and stage into a file that ui.perfetto.dev and chrome://tracing open. --stats
      counts hits, misses, downloads and failures; --log tells of each as it happens, on standard error.
      """,
    options: options,
    positional: 1...Int.max - 1)

  private static let options =
    ResizeArguments.options + [
      OptionSpecification(
        name: "format", letter: "f", value: "FORMAT",
        help: "\(OutputFormats.list). By default as the file of -o ends, else JPEG when opaque, PNG when not."
      ),
      OptionSpecification(
        name: "quality", letter: "q", value: "0-100", help: "Of lossy formats; 85 by default."),
      OptionSpecification(
        name: "lossless", help: "Keep every pixel, in formats that can: WebP, AVIF, JPEG XL."),
      OptionSpecification(
        name: "effort", value: "EFFORT",
        help:
          "low, medium or high: the time taken to make files small, in formats that can; medium by default."),
      OptionSpecification(
        name: "max-bytes", value: "N", help: "Lower the quality until a result has no more bytes."),
      OptionSpecification(
        name: "output", letter: "o", value: "FILE|DIR|-", help: "Where the results go; - is standard output."),
      OptionSpecification(
        name: "overwrite-sources", help: "Let a result take the place of the file it is made from."),
      .cache,
    ] + NetworkArguments.options + Observation.options + [.svg, .json]

  /// Pictures that are loaded and written at the same time. Each holds its pixels.
  private static let concurrentLoads = 8

  private struct Job: Sendable {
    let resize: Resize?
    let options: EncodingOptions
    let output: OutputTarget?
    let pipeline: ImagePipeline
  }

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    Heap.mapLargeBlocks()
    let format = try arguments.choice("format", among: OutputFormats.names)
    try SourceArgument.checkStandardInput(arguments.positional)
    let sources = arguments.positional.map(SourceArgument.source)
    let output: OutputTarget? =
      if let path = arguments.value("output") {
        try OutputTarget(
          path: path, format: format, sources: sources,
          overwritesSources: arguments.has("overwrite-sources"))
      } else {
        nil
      }
    let usesOutput = output?.isStandardOutput ?? false
    let trace = arguments.value("trace").map(OutputFile.init)
    try check(trace, sources: sources, output: output)
    let console = usesOutput || trace?.isStandardOutput ?? false ? console.withoutOutput : console
    let observation = try Observation(arguments, console: console)
    let job = Job(
      resize: try ResizeArguments.resize(arguments),
      options: EncodingOptions(
        compressionQuality: Double(try arguments.integer("quality", in: 0...100) ?? 85) / 100,
        isLossless: arguments.has("lossless"),
        maximumByteCount: try arguments.integer("max-bytes", in: 1...Int.max),
        effort: try arguments.choice(
          "effort", among: EncodingOptions.Effort.allCases.map { ($0.rawValue, $0) }) ?? .medium),
      output: output,
      pipeline: try PipelineArguments.pipeline(arguments, console: console, observation.configure))
    let hasFailure = await loadAll(arguments.positional, job, console, isJSON: arguments.has("json"))
    await job.pipeline.flush()
    let isTold = await observation.finish(job.pipeline, isJSON: arguments.has("json"))
    // Everything is written; what it held is free for the next pipeline on the folder.
    await job.pipeline.diskCache?.close()
    return hasFailure || !isTold ? .failed : .done
  }

  /// Loads all sources, a few at a time, and prints the reports in the order of the sources.
  private static func loadAll(
    _ sources: [String], _ job: Job, _ console: Console, isJSON: Bool
  ) async -> Bool {
    let bar = ProgressBar(total: sources.count, console: console)
    return await withTaskGroup(of: (Int, LoadReport).self) { group in
      var waiting = sources.indices[...]
      func startNext() {
        guard let index = waiting.popFirst() else { return }
        group.addTask { (index, await load(sources[index], index, job) { bar.update(index, fraction: $0) }) }
      }
      for _ in 0..<concurrentLoads { startNext() }
      var reports: [Int: LoadReport] = [:]
      var printedCount = 0
      var hasFailure = false
      for await (index, report) in group {
        startNext()
        bar.finish(index)
        reports[index] = report
        while let next = reports.removeValue(forKey: printedCount) {
          bar.clear()
          print(next, console, isJSON: isJSON)
          hasFailure = hasFailure || next.isFailure
          printedCount += 1
        }
        // A report may wait for an earlier one, and nothing is written until then.
        console.checkOutput()
      }
      bar.clear()
      return hasFailure
    }
  }

  private static func print(_ report: LoadReport, _ console: Console, isJSON: Bool) {
    if isJSON { console.print(report.json.text) } else if let line = report.line { console.print(line) }
    if let line = report.errorLine { console.printError(line) }
  }

  private static func load(
    _ text: String, _ index: Int, _ job: Job, onProgress: @escaping @Sendable (Double) -> Void
  ) async -> LoadReport {
    do {
      let limit = job.pipeline.configuration.limits.encodedByteCount
      let task = job.pipeline.task(for: request(try await SourceArgument.read(text, limit: limit), job))
      let watcher = Task {
        for await progress in task.progress { if let fraction = progress.fraction { onProgress(fraction) } }
      }
      defer { watcher.cancel() }
      let response = try await task.response
      let start = ContinuousClock.now
      let output = try await write(response, index, job)
      return LoadReport(
        source: text,
        outcome: .success(
          LoadReport.Loaded(
            size: response.picture.size, header: response.picture.header, from: response.source,
            reason: response.httpDecision?.reason,
            timings: response.timings, byteCount: response.encodedByteCount, output: output,
            writeTime: output.map { _ in start.duration(to: .now) })))
    } catch {
      return LoadReport(source: text, outcome: .failure(error))
    }
  }

  private static func request(_ source: ImageSource, _ job: Job) -> ImageRequest {
    var request = ImageRequest(source, resize: job.resize)
    if job.output != nil {
      // What a cache has of a picture may be lossy, or made from something that is; and it would be of no use there.
      request.readLayers = .originals
      request.writeLayers = .originals
    }
    return request
  }

  private static func write(_ response: ImageResponse, _ index: Int, _ job: Job) async throws -> String? {
    guard let target = job.output else { return nil }
    let picture = response.picture
    let type = target.type(for: picture)
    let data = try await job.pipeline.encode(picture, as: type, options: job.options)
    return try await BlockingWork.run { try target.write(data, forSource: index, type) }
  }

  /// A trace must be written over no source and over no result.
  private static func check(
    _ trace: OutputFile?, sources: [ImageSource], output: OutputTarget?
  ) throws(UsageError) {
    guard let trace else { return }
    if let source = SourceFiles(sources).source(lostBy: trace.path) {
      throw UsageError("--trace \(trace.path): this is the source \(source)")
    }
    if output?.isSame(as: trace) ?? false {
      throw UsageError("--trace \(trace.path): the result of -o goes there")
    }
  }
}
