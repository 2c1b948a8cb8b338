import Ozu

/// `ozu set`: each source in several widths and formats from one decode, and the HTML that names them.
enum SetCommand: Command {
  static let specification = CommandSpecification(
    name: "set",
    summary: "Make a picture in several widths and formats, for the web.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    discussion: """
      Each SOURCE, as in ozu load, is decoded once; every width is made of that in every format. A second run takes the
      files from the disk cache. Nothing is enlarged: widths above the picture's own are left out, and a picture that has
      none of them is made as wide as it is.

      -o DIR names the files {name}-{width}.{ext}, in the folders that -r found the sources in. -o may be a template, as in
      ozu load. No file of a source is written unless all could be made, and none takes the place of a source.

      --html prints the element picture on standard output: the formats in the order of --formats, so the best first and
      the one that everything reads last. The reports are then on standard error. The files are named as -o names them;
      --sizes says how wide the page shows the picture, and --alt what it shows. A few hundred bytes in its style are a
      small picture that is seen until the large one is there, unless the picture is transparent.

      Steps are done before the widths are made. Of an animation every frame is written in formats that can, unless --still
      is given.
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let options =
    [
      OptionSpecification(
        name: "widths", letter: "w", value: "N,…", help: "In pixels, up to 32; 320,640,1280,1920 by default."),
      OptionSpecification(
        name: "formats", letter: "f", value: "FORMAT,…",
        help: "The best first, from \(OutputFormats.list); \(defaultFormats) by default."),
      OptionSpecification(
        name: "output", letter: "o", value: "DIR|TEMPLATE", kind: .file,
        help: "Where the files go; . by default. A template has fields in braces."),
      OptionSpecification(name: "html", help: "Print the HTML element picture for each source."),
      OptionSpecification(
        name: "sizes", value: "TEXT", help: "How wide the page shows it; 100vw by default. With --html."),
      OptionSpecification(name: "alt", value: "TEXT", help: "What it shows, in words. With --html."),
    ] + Recipe.options + EncodingArguments.contents + [
      OptionSpecification(
        name: "recursive", letter: "r", help: "Take the pictures in folders, and in the folders in these."),
      OptionSpecification(name: "quiet", help: "Print what failed and the HTML, and nothing else."),
      .cache, .noCache,
    ] + NetworkArguments.options + Observation.options.filter { $0.name != "trace" } + [.isolation, .json]

  private static let defaultFormats = ["avif", "webp", "jpeg"].filter {
    OutputFormats.type(ofEnding: $0) != nil
  }
  .joined(separator: ",")
  private static let maximumWidthCount = 32

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    Heap.mapLargeBlocks()
    let isJSON = arguments.has("json")
    if isJSON, arguments.has("quiet") { throw UsageError("--quiet and --json do not go together") }
    try SourceArgument.checkStandardInput(arguments.positional)
    let recipe = try await Recipe(arguments)
    let widths = try widths(arguments)
    let types = try types(arguments)
    var formats: [OutputFormat] = []
    for type in types { formats.append(try EncodingArguments.outputFormat(arguments, type)) }
    let page = try page(arguments)
    let configuration = try PipelineArguments.configuration(arguments)
    let place = arguments.value("output") ?? "."
    let listing = try SourceListing(
      arguments.positional, isRecursive: arguments.has("recursive"),
      excluding: try OutputTarget.folder(place),
      types: configuration.readableTypes)
    let target = try OutputTarget(
      setIn: place, types: types, hasSeveralWidths: widths.count > 1, sources: listing.sources,
      files: recipe.files)
    let reports = page != nil && !isJSON ? console.withoutOutput : console
    let observation = try Observation(arguments, console: reports)
    let pipeline = PipelineArguments.pipeline(configuration, console: console, observation.configure)
    let run = SetRun(
      recipe: recipe, resizing: try ResizeArguments(arguments), widths: widths, formats: formats, page: page,
      writer: ResultWriter(target: target, pipeline: pipeline))
    var failures = listing.problems.map { SetReport($0) }
    for problem in failures where isJSON { print(problem, console, reports, isJSON: true, isQuiet: false) }
    for (index, source) in listing.sources.enumerated() {
      let report = await run.make(source.text, index)
      print(report, console, reports, isJSON: isJSON, isQuiet: arguments.has("quiet"))
      if !report.errorLines.isEmpty { failures.append(report) }
      console.checkOutput()
    }
    for line in failures.flatMap(\.errorLines) { console.printError(line) }
    await pipeline.flush()
    let isTold = await observation.finish(pipeline, isJSON: isJSON)
    await pipeline.diskCache?.close()
    return failures.isEmpty && isTold ? .done : .failed
  }

  private static func print(
    _ report: SetReport, _ console: Console, _ reports: Console, isJSON: Bool, isQuiet: Bool
  ) {
    if let line = report.omission { console.printError(line) }
    if isJSON { return report.json.forEach { console.print($0.text) } }
    if !isQuiet, let lines = report.lines { reports.print(lines) }
    if case .success(let made) = report.outcome, let html = made.html { console.print(html) }
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
    var types: [ImageType] = []
    for name in (arguments.value("formats") ?? defaultFormats).split(
      separator: ",", omittingEmptySubsequences: false)
    {
      guard let type = OutputFormats.type(ofEnding: name.lowercased()) else {
        throw UsageError(
          "--formats: \"\(name)\" is no format that can be written", hint: "There are: \(OutputFormats.list)."
        )
      }
      if !types.contains(type) { types.append(type) }
    }
    return types
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
