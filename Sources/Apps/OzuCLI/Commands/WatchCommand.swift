#if canImport(Glibc)
  import Foundation
  import Ozu
  import OzuBase

  /// `ozu watch`: does with each picture that comes into a folder what `ozu load` or `ozu set` does.
  enum WatchCommand: Command {
    static let specification = CommandSpecification(
      name: "watch",
      summary: "Do the same with every picture that comes into a folder.",
      synopsis: OptionSpecification.synopsis("FOLDER", options),
      examples: [
        Example("Screenshots for the web", "ozu watch ~/Screenshots -s 1600 -f webp -o web/"),
        Example(
          "Sets of what a camera uploads",
          "ozu watch -r incoming -w 640,1280 -o 'img/{dir}/{name}-{width}.{ext}'"),
        Example("The pictures that are there already, too", "ozu watch scans --existing -s 2000 -o small/"),
      ],
      discussion: """
        Waits for pictures in FOLDER and makes a result of each, with the steps and options of "ozu load"; with --widths several,
        as "ozu set" makes them. A file is taken when the program that writes it closes it, or when it is moved there, and is a
        picture if its first bytes say so. Names that begin with a dot or end as those of running downloads are skipped.
        Pictures that are there already are taken with --existing. {index} and {counter} count from the start.

        A picture that is written again is made again, and replaces its result. One whose result would have the name of that of
        another picture is a failure. Results may not go into the folder itself; below it, their folder is not watched. Ctrl-C or SIGTERM ends the command when the pictures that have come are done; a second
        one ends it at once. Without --cache there is no disk cache.
        """,
      options: options,
      positional: 1...1,
      operands: .folder)

    private static let options =
      [
        OptionSpecification(
          name: "output", letter: "o", value: "DIR|TEMPLATE", kind: .file,
          help: "Where the results go. A template has fields in braces."),
        OptionSpecification(name: "existing", help: "Take the pictures that are there already, too."),
        OptionSpecification(
          name: "recursive", letter: "r", help: "Watch the folders in it too, also those that come later."),
        SetCommand.widths,
        OptionSpecification(
          name: SetCommand.formats.name, value: SetCommand.formats.value, kind: SetCommand.formats.kind,
          help: "With --widths. " + SetCommand.formats.help),
      ] + Recipe.options + EncodingArguments.options + [
        ResultWriter.onlySmallerOption, FileTimes.option, .jobs(concurrentPictures), .quiet,
        ReportStyle.verboseOption, .cache, .maxPixels, .isolation, .json,
      ]

    private static let concurrentPictures = 2

    static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
      Heap.mapLargeBlocks()
      let style = try ReportStyle(arguments)
      let folder = arguments.positional[0]
      let jobs = try arguments.integer("jobs", in: 1...64) ?? concurrentPictures
      guard let output = arguments.value("output") else {
        throw UsageError("watch needs -o", hint: "For example: ozu watch \(folder) -s 1600 -o out/")
      }
      guard let identity = FolderIdentity(path: folder) else {
        throw UsageError("\(folder): there is no such folder")
      }
      let results = try OutputTarget.folder(output)
      guard results.flatMap(FolderIdentity.init(path:)) != identity else {
        throw UsageError("-o \(output): results in the folder that is watched would be its pictures again")
      }
      let maker = try await WatchedPictureMaker(arguments, folder, output, console)
      let watch: FolderWatch
      do throws(SystemError) {
        watch = try FolderWatch(
          folder, isRecursive: arguments.has(OptionSpecification.recursive.name), results: results)
      } catch {
        throw UsageError("\(folder): it cannot be watched: \(systemMessage(error.code))")
      }
      let end = await EndSignal()
      let waiting = Task {
        await end.wait()
        watch.end()
      }
      let found = watch.begin()
      if style != .quiet { console.printError("ozu: watching \(PrintableText.name(folder)); Ctrl-C ends it") }
      let run = WatchRun(maker: maker, jobs: jobs, console: console, style: style)
      var status = ExitStatus.done
      // Folders that cannot be watched are told in any case.
      var next: [FolderWatch.Event]? =
        arguments.has("existing") ? found : found.filter { !$0.isFile }
      while let events = next {
        await run.make(
          events.compactMap {
            if case .file(let path, let folder) = $0 { ListedSource(text: path, folder: folder) } else { nil }
          })
        if events.contains(.overflow) {
          console.printError(
            "ozu: too much happens at once, or in too many folders; pictures may be left out")
          status = .failed
        }
        for case .unnamed(let path, let shown, let isFolder) in events
        where isFolder || SourceListing.mayBePicture(path, maker.types) {
          console.printError("ozu: \(PrintableText.name(shown)): its name is not UTF-8; rename it")
          status = .failed
        }
        for case .unwatched(let path, let code) in events {
          console.printError(
            "ozu: \(PrintableText.name(path)): it cannot be watched: \(systemMessage(code))")
          status = .failed
        }
        if events.contains(.gone) {
          console.printError("ozu: \(PrintableText.name(folder)) has gone")
          status = .failed
          break
        }
        next = await Self.next(watch)
      }
      waiting.cancel()
      await maker.pipeline.end()
      return run.finish() ? .failed : status
    }

    // Reading blocks for long, so it has a queue of its own.
    private static let queue = DispatchQueue(label: "ozu.cli.watch")

    private static func next(_ watch: FolderWatch) async -> [FolderWatch.Event]? {
      try? await BlockingWork.run(on: queue) { watch.next() }
    }
  }

  /// Makes the results of one picture, by the options of `ozu load`, or of `ozu set` with `--widths`.
  private struct WatchedPictureMaker: Sendable {
    private enum Work: Sendable {
      case load(Recipe)
      case set(SetRecipe)
    }

    let pipeline: ImagePipeline
    let types: Set<ImageType>
    /// The kind of its reports in JSON.
    var kind: String { if case .load = work { "load" } else { "set" } }
    private let work: Work
    private let arguments: ParsedArguments
    private let output: String
    /// Each picture has a target of its own, and `a.heic` beside `a.jpg` may have one name for their results.
    private let claims = NameClaims()

    init(
      _ arguments: ParsedArguments, _ folder: String, _ output: String, _ console: Console
    ) async throws(UsageError) {
      var configuration = try PipelineArguments.configuration(arguments)
      configuration.decoding.isolation = try IsolationOption.isolation(arguments, isUntrusted: true)
      // A process that runs for days would keep the user's cache from all others.
      if !arguments.has(OptionSpecification.cache.name) { configuration.caching.diskStorage = .none }
      types = Set(configuration.readableTypes)
      (self.arguments, self.output) = (arguments, output)
      if arguments.has(SetCommand.widths.name) {
        let single = ["format", "force", ResultWriter.onlySmallerOption.name]
        if let name = single.first(where: { arguments.has($0) }) {
          throw UsageError(
            "--\(name) and --widths cannot be used together",
            hint: name == "format" ? "--formats names those of a set." : nil)
        }
        work = .set(try await SetCommand.recipe(arguments))
      } else {
        if arguments.has(SetCommand.formats.name) { throw UsageError("--formats needs --widths") }
        work = .load(try await Recipe(arguments))
      }
      pipeline = PipelineArguments.pipeline(configuration, console: console)
      // Wrong options are known now and not with the first picture.
      _ = try run(ListedSource(text: folder + "/a"))
    }

    /// Makes the results of one picture.
    func make(_ source: ListedSource) async throws -> any SourceReport {
      let run: @Sendable () async throws -> any SourceReport
      do throws(UsageError) {
        run = try self.run(source)
      } catch {
        throw OutputError(reason: error.message)
      }
      return try await run()
    }

    /// The run of one source: the place of its result follows from it alone.
    private func run(
      _ source: ListedSource
    ) throws(UsageError) -> @Sendable () async throws -> any SourceReport {
      switch work {
      case .load(let recipe):
        var target = try LoadCommand.output(arguments, SourceListing(fileOfFolder: source), recipe)
        target?.sharedClaims = claims
        let format = try EncodingArguments.outputFormat(arguments, target?.format)
        let run = LoadRun(
          recipe, pipeline, arguments, target.map { ($0, format) }, cachePolicy: .bypass)
        return { try await run.load(source.text, 0) }
      case .set(let recipe):
        var target = try SetCommand.target(output, arguments, [source], recipe)
        target.sharedClaims = claims
        let run = SetRun(
          recipe: recipe, page: nil, writer: ResultWriter(target: target, pipeline: pipeline))
        return { try await run.make(source.text, 0) }
      }
    }
  }

  /// The work of `ozu watch`: batches of pictures that came together.
  private final class WatchRun {
    private let maker: WatchedPictureMaker
    private let jobs: Int
    private let console: Console
    private let style: ReportStyle
    private var sum = RunSum()
    private var (count, failureCount) = (0, 0)
    private let start = ContinuousClock.now

    init(maker: WatchedPictureMaker, jobs: Int, console: Console, style: ReportStyle) {
      (self.maker, self.jobs, self.console, self.style) = (maker, jobs, console, style)
    }

    /// Makes the results of the pictures among files.
    func make(_ files: [ListedSource]) async {
      let (found, problems) = SourceListing.pictures(among: files, maker.types)
      var pictures = found
      for index in pictures.indices {
        count += 1
        pictures[index].number = count
      }
      if pictures.isEmpty, problems.isEmpty { return }
      let run = SourceRun(
        kind: maker.kind, concurrentCount: jobs, console: console, style: style, showsProgress: false)
      let failed = await run.run(pictures, problems: problems) { [maker, pictures] _, index, _ in
        try await maker.make(pictures[index])
      } print: { (report: any SourceReport) in
        sum += report.sum
        console.print(report, style)
      }
      failureCount += failed
    }

    /// Prints the sum. Returns whether something failed.
    func finish() -> Bool {
      if count > 0, style.isForPeople {
        console.printError("ozu: " + sum.line(start.duration(to: .now), failureCount: failureCount))
      }
      return failureCount > 0
    }
  }
#endif
