import Ozu

/// `ozu set`: makes each source in several widths and formats from one decode, and the HTML that names them.
enum SetCommand: Command {
  static let specification = CommandSpecification(
    name: "set",
    summary: "Make a picture in several widths and formats, for the web.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    examples: [
      Example(
        "Twelve files and the HTML that names them",
        "ozu set photo.jpg -o img/ --html --alt 'A house' > photo.html"),
      Example("Two widths in two formats", "ozu set photo.jpg -w 640,1280 -f avif,jpeg -o img/"),
      Example("A tree, with names of one's own", "ozu set -r photos -o 'img/{dir}/{name}-{width}.{ext}'"),
      Example("What would be written", "ozu set photo.jpg -w 640 -o img/ --dry-run"),
    ],
    discussion: """
      Each SOURCE, as in ozu load, is decoded once; every width is made from that decode, in every format. A second run
      takes the files from the disk cache. Nothing is enlarged but drawings (SVG), which are drawn at every width: widths
      above the picture's own are left out, and a picture that is narrower than all of them is made in its own width.

      -o DIR names the files {name}-{width}.{ext}, in the folders that -r found the sources in. -o may be a template, as in
      ozu load. No file of a source is written unless all could be made, and none replaces a source, unless
      --overwrite-sources is given and it is the source that the file is made from. --dry-run names every width, also
      those that are too large for a picture.

      With --no-cache nothing is read from the disk cache or left in it; the files of a source still share its decode.

      --html prints the element picture on standard output, with the formats in the order of --formats: give the best one
      first, and last the one that every browser reads. The reports are then on standard error. The files are named as -o
      names them; --sizes says how wide the page shows the picture, and --alt describes its content. The style of the
      element has a small picture of a few hundred bytes, which is shown until the large one is loaded, unless the picture
      is transparent.

      Steps are done before the widths are made. Animations stay animations in formats that have them, unless --still is
      given.
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  static let widths = OptionSpecification(
    name: "widths", letter: "w", value: "N,…", help: "In pixels, up to 32; 320,640,1280,1920 by default.")
  static let formats = OptionSpecification(
    name: "formats", letter: "f", value: "FORMAT,…", kind: .list(OutputFormats.types.map(\.rawValue)),
    help: "The best first, from \(OutputFormats.list); \(defaultFormats) by default.")

  private static let options =
    [
      widths, formats,
      OptionSpecification(
        name: "output", letter: "o", value: "DIR|TEMPLATE", kind: .file,
        help: "Where the files go; . by default. A template has fields in braces."),
      OptionSpecification(name: "html", help: "Print the HTML element picture for each source."),
      OptionSpecification(
        name: "sizes", value: "TEXT", help: "How wide the page shows it; 100vw by default. With --html."),
      OptionSpecification(
        name: "alt", value: "TEXT", help: "A description of the picture, for its alt text. With --html."),
    ] + Recipe.options + EncodingArguments.contents + [
      .overwriteSources, FileTimes.option, .recursive, .from, .jobs(concurrentSources),
      OptionSpecification(name: "quiet", help: "Print what failed and the HTML, and nothing else."),
      ReportStyle.verboseOption, .dryRun, .cache, .noCache,
    ] + NetworkArguments.options + Observation.options + [.maxPixels, .isolation, .json]

  /// Sources that are worked on at the same time, unless `--jobs` says otherwise: the files of one keep every core busy.
  private static let concurrentSources = 1

  private static let defaultTypes = [ImageType.avif, .webp, .jpeg].compactMap(OutputFormats.written)
  private static let defaultFormats = defaultTypes.map(\.rawValue).joined(separator: ",")
  private static let maximumWidthCount = 32

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    Heap.mapLargeBlocks()
    let style = try ReportStyle(arguments)
    let recipe = try await recipe(arguments)
    let page = try page(arguments)
    let configuration = try PipelineArguments.configuration(arguments)
    let place = arguments.value("output") ?? "."
    let listing = try await SourceListing(arguments, output: place, configuration, console)
    var target = try target(place, arguments, listing.sources, recipe)
    let trace = try Observation.trace(arguments, sources: listing.sources, output: target)
    target.trace = trace
    let concurrentSources = try arguments.integer("jobs", in: 1...64) ?? concurrentSources
    let console = trace?.isStandardOutput ?? false ? console.withoutOutput : console
    let reports = page != nil && style != .json ? console.withoutOutput : console
    let observation = try Observation(arguments, console: reports)
    if arguments.has(OptionSpecification.dryRun.name) {
      let plan = OutputPlan(listing: listing) { [target] index in
        recipe.planned(listing.sources[index].source, index, in: target)
      }
      plan.print(to: console, style, "set")
      return listing.problems.isEmpty ? .done : .failed
    }
    let pipeline = PipelineArguments.pipeline(configuration, console: console, observation.configure)
    let set = SetRun(recipe: recipe, page: page, writer: ResultWriter(target: target, pipeline: pipeline))
    let run = SourceRun(kind: "set", concurrentCount: concurrentSources, console: console, style: style)
    let (_, failureCount) = await run.report(
      listing.sources, problems: listing.problems, on: reports
    ) { text, index, _ in
      try await set.make(text, index)
    } after: { report in
      if style != .quiet, let line = report.omission { console.printError(line) }
      if style != .json, let html = report.html { console.print(html) }
    }
    await pipeline.flush()
    let isTold = await observation.finish(pipeline, isJSON: style == .json)
    await pipeline.diskCache?.close()
    return failureCount > 0 || !isTold ? .failed : .done
  }

  /// The results that the options ask for.
  static func recipe(_ arguments: ParsedArguments) async throws(UsageError) -> SetRecipe {
    let widths = try widths(arguments)
    var formats: [OutputFormat] = []
    for type in try types(arguments) { formats.append(try EncodingArguments.outputFormat(arguments, type)) }
    let recipe = SetRecipe(
      steps: try await Recipe(arguments), resizing: try ResizeArguments(arguments), widths: widths,
      formats: formats)
    if recipe.steps.isRelative {
      throw UsageError("--size: ozu set makes its sizes from --widths, not from a percentage")
    }
    return recipe
  }

  /// The place of the results of sources.
  static func target(
    _ path: String, _ arguments: ParsedArguments, _ sources: [ListedSource], _ recipe: SetRecipe
  ) throws(UsageError) -> OutputTarget {
    var target = try OutputTarget(
      setIn: path, types: recipe.formats.flatMap(\.types), hasSeveralWidths: recipe.widths.count > 1,
      sources: sources, files: recipe.steps.files,
      overwritesSources: arguments.has(OptionSpecification.overwriteSources.name))
    target.keepsTimes = arguments.has(FileTimes.option.name)
    return target
  }

  private static func widths(_ arguments: ParsedArguments) throws(UsageError) -> [Int] {
    guard let text = arguments.value("widths") else { return [320, 640, 1280, 1920] }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    let widths = Set(numbers.compactMap(\.self))
    guard numbers.allSatisfy({ $0.map((1...65_535).contains) ?? false }), widths.count <= maximumWidthCount
    else {
      throw UsageError(
        "--widths \(text): up to \(maximumWidthCount) widths from 1 to 65535 are needed",
        hint: "For example: --widths 320,640,1280")
    }
    return widths.sorted()
  }

  /// The formats, each once.
  private static func types(_ arguments: ParsedArguments) throws(UsageError) -> [ImageType] {
    for word in (arguments.value(formats.name) ?? "").split(separator: ",") {
      try OutputFormats.refuseReadOnly(word, of: formats.name)
    }
    return try arguments.choices(formats.name, among: OutputFormats.names) ?? defaultTypes
  }

  private static func page(_ arguments: ParsedArguments) throws(UsageError) -> SetRun.Page? {
    guard arguments.has("html") else {
      if let name = ["sizes", "alt"].first(where: arguments.has) {
        throw UsageError("--\(name) needs --html")
      }
      return nil
    }
    return SetRun.Page(
      sizes: arguments.value("sizes") ?? "100vw", alternative: arguments.value("alt") ?? "")
  }
}
