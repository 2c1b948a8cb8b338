import Foundation
import Ozu

/// `ozu load`: loads sources through the pipeline, writes the results, and says where each came from.
enum LoadCommand: Command {
  static let specification = CommandSpecification(
    name: "load",
    summary: "Load images, resize them, write the results.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    examples: [
      Example("The longest side 1600 pixels", "ozu load photo.jpg -s 1600 -o small.jpg"),
      Example("Thumbnails of one size", "ozu load *.jpg -s 320x240 --mode cover -o thumbs/"),
      Example(
        "A folder as WebP of 100 kB at most, its subfolders kept",
        "ozu load -r photos -f webp --max-bytes 100kB -o web/"),
      Example(
        "A tree made smaller in place, each file in its own format",
        "ozu load -r photos -s 2000 --in-place --only-smaller --times"),
      Example("Names by date and camera", "ozu load -r dcim -o 'out/{date:%Y/%m}/{camera}-{name}.jpg'"),
    ],
    discussion: """
      A SOURCE is a web address, a data: address, the path of a file, with -r of a folder, or - for standard input.
      Without -o finished pictures stay in the disk cache, and the same call is answered from there the next time. With
      -o each result is made from its original, so that it is the same in every state of the cache. It is kept in the cache
      too, and the second time nothing is decoded or encoded. Animations stay animations in WebP, PNG and GIF; the report
      says when only the first frame was written.

      Sizes, crops, turns, blurs and the other steps are done in the order in which they are given: --trim --size 320x240
      cuts the border off and then makes the picture smaller, --size 320x240 --trim the other way round. Steps take less
      time on smaller pictures, so a size at the beginning is the cheapest.

      -o DIR, for several sources, names each result for its source, in the folders that -r found it in. -o with fields makes
      the names: {name}, {dir} and {source-ext} of the source, {index} and {counter:03} for its number, {width}, {height} and
      {ext} of the result, {hash} of its bytes, {date}, {date:%Y/%m} and {camera} of the photograph, as in
      -o 'out/{dir}/{name}-{width}.{ext}'. The name of a result follows from its own source, never from the others; two results
      with one name are an error before anything is loaded, which says what tells them apart.

      With --format keep each result has the format of its source, or JPEG or PNG where that cannot be written. --in-place
      replaces each file by its result. --only-smaller writes none that has as many bytes as its source or more. --times
      gives results the times of their sources. --from FILE takes a list of sources, one a line, from a file or from standard
      input; behind a tab may stand a name of its own for the result.

      -o FILE replaces a file completely or not at all, and keeps its permissions. Links are followed; another hard link
      to the file keeps the old contents. Devices and pipes are written to, and so is standard output for -o -, with
      the reports on standard error. A result that would replace a source is refused, unless --overwrite-sources is given and
      it is the source that the result is made from.

      With -r, names that begin with a dot, links to folders and the folder of -o are skipped. A file is a picture if its
      first bytes say so; its name does not matter. A file that cannot be read is a failure, and so is a picture or a folder
      whose name is not UTF-8.

      Each source gets one line: what it is, the result, and the time; several sources get a sum at the end. With --verbose a line
      says where the picture came from (memory, disk-rendition, disk-original, revalidated, stale, derived-from-larger,
      network) and how long each stage took. A local file counts as disk-original. With --json "reason" says why a picture
      from the web came from there. Failures are listed at the end, a line each.

      --trace draws every request and stage into a file that ui.perfetto.dev and chrome://tracing open. --stats
      counts hits, misses, downloads and failures; --log prints each of them as it happens, on standard error.
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let options =
    Recipe.options + EncodingArguments.options + [
      OptionSpecification(
        name: "output", letter: "o", value: "FILE|DIR|TEMPLATE|-", kind: .file,
        help: "Where the results go; - is standard output. A template has fields in braces."),
      OptionSpecification(
        name: inPlace, help: "Replace each file by its result, in the format that it has."),
      .overwriteSources, ResultWriter.onlySmallerOption, FileTimes.option, .recursive, .from,
      .jobs(concurrentLoads), .quiet, ReportStyle.verboseOption, .dryRun, .cache, .noCache,
    ] + NetworkArguments.options + Observation.options + [.maxPixels, .isolation, .json]

  private static let inPlace = "in-place"

  /// Pictures that are loaded and written at the same time, unless `--jobs` says otherwise.
  private static let concurrentLoads = 8

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    Heap.mapLargeBlocks()
    let style = try ReportStyle(arguments)
    let recipe = try await Recipe(arguments)
    let configuration = try PipelineArguments.configuration(arguments)
    let listing = try await SourceListing(
      arguments, output: arguments.value("output"), configuration, console)
    var output = try output(arguments, listing, recipe)
    let format = try EncodingArguments.outputFormat(arguments, output?.format)
    let trace = try Observation.trace(arguments, sources: listing.sources, output: output)
    output?.trace = trace
    let concurrentLoads = try arguments.integer("jobs", in: 1...64) ?? concurrentLoads
    let usesOutput = output?.isStandardOutput ?? false
    let console = usesOutput || trace?.isStandardOutput ?? false ? console.withoutOutput : console
    let observation = try Observation(arguments, console: console)
    if arguments.has(OptionSpecification.dryRun.name) {
      let steps = recipe.identifiers
      let plan = OutputPlan(listing: listing) { [output] in
        [OutputPlan.File(steps: steps, path: output?.plannedPath(forSource: $0))]
      }
      plan.print(to: console, style, "load")
      return listing.problems.isEmpty ? .done : .failed
    }
    let pipeline = PipelineArguments.pipeline(configuration, console: console, observation.configure)
    let run = LoadRun(
      recipe, pipeline, arguments, output.map { ($0, format) },
      cachePolicy: PipelineArguments.cachePolicy(arguments))
    let hasFailure = await run.loadAll(
      listing, SourceRun(kind: "load", concurrentCount: concurrentLoads, console: console, style: style))
    await pipeline.flush()
    let isTold = await observation.finish(pipeline, isJSON: style == .json)
    // Everything is written. Closing frees the folder for the next pipeline.
    await pipeline.diskCache?.close()
    return hasFailure || !isTold ? .failed : .done
  }

  /// The place of the results; `nil` if nothing is written.
  static func output(
    _ arguments: ParsedArguments, _ listing: SourceListing, _ recipe: Recipe
  ) throws(UsageError) -> OutputTarget? {
    let format = try EncodingArguments.format(arguments)
    var target: OutputTarget
    if arguments.has(inPlace) {
      guard !arguments.has("output"), [.byName, .keep].contains(format) else {
        throw UsageError("--in-place names the files and their formats, so there is no -o and no --format")
      }
      target = try OutputTarget(inPlace: listing.sources, files: recipe.files)
    } else {
      guard let path = arguments.value("output") else {
        for option in [ResultWriter.onlySmallerOption, FileTimes.option] where arguments.has(option.name) {
          throw UsageError("--\(option.name) needs -o or --in-place")
        }
        return nil
      }
      target = try OutputTarget(
        path: path, format: format, sources: listing.sources,
        isSeveral: listing.hasFolders || listing.sources.count > 1, files: recipe.files,
        overwritesSources: arguments.has(OptionSpecification.overwriteSources.name),
        allowsAnyEnding: arguments.has("force"))
    }
    target.keepsTimes = arguments.has(FileTimes.option.name)
    return target
  }
}

/// The work of `ozu load`: all sources, a few at a time.
struct LoadRun: Sendable {
  let recipe: Recipe
  let pipeline: ImagePipeline
  /// The writer of the results; `nil` without `-o`.
  let output: (writer: ResultWriter, format: OutputFormat)?
  /// The use of the caches for results that are written.
  let cachePolicy: CachePolicy

  /// - Parameter output: the place and the recipe of the results; `nil` if nothing is written.
  init(
    _ recipe: Recipe, _ pipeline: ImagePipeline, _ arguments: ParsedArguments,
    _ output: (target: OutputTarget, format: OutputFormat)?, cachePolicy: CachePolicy
  ) {
    (self.recipe, self.pipeline, self.cachePolicy) = (recipe, pipeline, cachePolicy)
    self.output = output.map { target, format in
      let isSmaller = arguments.has(ResultWriter.onlySmallerOption.name)
      return (ResultWriter(target: target, pipeline: pipeline, writesOnlySmaller: isSmaller), format)
    }
  }

  /// Loads all sources and prints the reports.
  ///
  /// - Returns: whether something failed.
  func loadAll(_ listing: SourceListing, _ run: SourceRun) async -> Bool {
    let (sum, failureCount) = await run.report(
      listing.sources, problems: listing.problems, on: run.console
    ) { try await load($0, $1, $2) }
    if output == nil, sum.count > 0, run.style.isForPeople {
      run.console.print(StyledLine("nothing was written; " + resultHint(listing), .faint))
    }
    return failureCount > 0
  }

  /// How to say where a result goes. The last source may have been meant as the result, as it is for other tools.
  private func resultHint(_ listing: SourceListing) -> String {
    guard let last = listing.sources.last?.text, listing.sources.count > 1, SourceArgument.isFile(last),
      !FileManager.default.fileExists(atPath: SourceArgument.path(ofFile: last)),
      OutputFormats.promisedType(ofEnding: URL(fileURLWithPath: last).pathExtension) != nil
    else { return "-o says where results go" }
    return "-o \(SourceArgument.line(last)) writes the result there"
  }

  /// Loads one source, and writes its result.
  func load(
    _ text: String, _ index: Int, _ onProgress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> LoadReport {
    let source = try await SourceArgument.read(text, for: pipeline)
    let request = try await recipe.request(source, in: pipeline)
    guard let output else { return LoadReport(text, try await show(request, onProgress)) }
    return try await write(text, request.with { $0.cachePolicy = cachePolicy }, output, index)
  }

  /// Encodes and writes a picture. With the format of the source, its header is read first.
  private func write(
    _ text: String, _ request: ImageRequest, _ output: (writer: ResultWriter, format: OutputFormat),
    _ index: Int
  ) async throws -> LoadReport {
    var (format, note): (OutputFormat, String?) = (output.format, nil)
    if output.writer.target.keepsFormat {
      let type = try await pipeline.header(for: ImageRequest(request.source)).type
      if let kept = OutputFormats.written(type) {
        format = format.with(kept)
      } else if case .sources = output.writer.target.destination {
        throw OutputError(reason: "\(type.displayName) can be read and not written; -o names another place")
      } else {
        note = "\(type.displayName) cannot be written; it is "
      }
    }
    let written = try await output.writer.write(request, as: format, forSource: index)
    return LoadReport(text, written, note: note.map { $0 + written.image.type.displayName })
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
