import Foundation
import Ozu
import OzuBase

/// `ozu clean`: writes files without the metadata that should not be passed on.
enum CleanCommand: Command {
  static let specification = CommandSpecification(
    name: "clean",
    summary: "Remove metadata from files without encoding pictures again.",
    synopsis: OptionSpecification.synopsis("FILE…", options),
    examples: [
      Example("Only what is needed to show it", "ozu clean photo.jpg -o clean/"),
      Example(
        "A tree in place: who, when and how stay, the place goes",
        "ozu clean -r photos --in-place --keep all-but-place"),
      Example(
        "Turned photographs stored upright, without loss", "ozu clean *.jpg --in-place --upright --times"),
    ],
    discussion: """
      Writes JPEG, PNG, WebP and GIF without metadata that should not be passed on: who made a picture, where, when and with
      what. The coded pixels stay byte for byte, and so do all frames of an animation. Each part that is left out is named,
      content credentials (C2PA) too: they would not fit the changed file. Bytes after the end of a picture (gain maps,
      further pictures, videos of phones) are left out.

      --keep names what stays, with commas between:
        orientation,profile   what is needed to show the same picture; the default
        copyright             the names of the artist and of who holds the rights
        all-but-place         everything except for the place and what may tell it: the maker note, XMP, and names of \
      towns and countries
        nothing               not even the orientation

      --upright stores a JPEG upright whose orientation says that it is turned: without loss, which needs sides that are
      multiples of its blocks (8 or 16 pixels). Others keep their orientation, and a note says so. libjpeg turns them, in a
      process of its own.

      With -o the results go to a file, or to a folder, under the names of their sources; -o may be a template, as in "ozu
      load", whose {date} and {camera} are those of before. With --in-place a file is replaced
      by its result, completely or not at all, and keeps its permissions. Pictures in other formats, also those that -r finds,
      are failures: their metadata stays.
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let options: [OptionSpecification] = [
    OptionSpecification(
      name: "output", letter: "o", value: "FILE|DIR|TEMPLATE", kind: .file,
      help: "Where the results are written. A template has fields in braces."),
    OptionSpecification(
      name: "upright", letter: "u",
      help: "Store turned JPEGs upright, without loss, where their sides allow it."),
    OptionSpecification(name: "in-place", help: "Replace each file by its result."),
    OptionSpecification(
      name: "keep", value: "WHAT,…", kind: .list(parts.map(\.0)),
      help: "orientation, profile, copyright, all-but-place or nothing; orientation,profile by default."),
    FileTimes.option, .recursive,
    OptionSpecification(
      name: OptionSpecification.isolation.name, value: "MODE", kind: OptionSpecification.isolation.kind,
      help: """
        off, preferred (the default) or required: --upright cleans and turns in processes of their own, which may crash; in \
        this one where that is not possible, or not at all. With required, they clean every file.
        """),
    OptionSpecification(name: "quiet", letter: "q", help: "Print only failures."), .json,
  ]

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let style = try ReportStyle(arguments)
    let isUpright = arguments.has("upright")
    let kept = try kept(arguments).union(isUpright ? .orientation : [])
    let path = arguments.value("output")
    guard (path != nil) != arguments.has("in-place") else {
      throw UsageError(
        "clean needs either -o or --in-place", hint: "For example: ozu clean a.jpg -o clean/")
    }
    for text in arguments.positional where !SourceArgument.isFile(text) {
      throw UsageError("\(SourceArgument.shown(text)): only files of this machine can be cleaned")
    }
    var configuration = ImagePipeline.Configuration()
    // Everything else is done in Swift, but libjpeg, which could be made to run a stranger's code, turns pictures. If isolation
    // is required, nothing is done here.
    configuration.decoding.isolation = try IsolationOption.isolation(arguments)
    configuration.decoding.isolation.types = isUpright ? [.jpeg] : []
    configuration.caching.diskStorage = .none
    configuration.caching.memoryCache.costLimit = PipelineArguments.memoryCost
    let pipeline = PipelineArguments.pipeline(configuration, console: console)
    let folder: String? = if let path { try OutputTarget.folder(path) } else { nil }
    // Formats that are not read, or only in isolation as drawings are, have metadata too.
    let types = ImageFormat.known.map(\.type)
    let listing = try SourceListing(
      arguments.positional.map { ListedSource(text: $0) },
      isRecursive: arguments.has(OptionSpecification.recursive.name), excluding: folder, types: types)
    // Pictures of other formats fail, so that none keeps its metadata in silence.
    let otherTypes = Set(types).subtracting(CleanedFile.types)
    var (sources, others): ([ListedSource], [ListedSource]) = ([], [])
    for source in listing.sources {
      let isOther = SourceListing.isPicture(SourceArgument.path(ofFile: source.text), otherTypes)
      if isOther { others.append(source) } else { sources.append(source) }
    }
    var target: OutputTarget?
    if let path {
      target = try OutputTarget(
        path: path, format: .keep, sources: sources,
        isSeveral: listing.hasFolders || listing.sources.count > 1,
        files: others.map(\.source), overwritesSources: nil, allowsAnyEnding: true)
      target?.keepsTimes = arguments.has(FileTimes.option.name)
      target?.refusesOtherEndings = true
    }
    let keepsTimes = arguments.has(FileTimes.option.name)
    let console = target?.isStandardOutput ?? false ? console.withoutOutput : console
    let uncleaned = others.map {
      SourceFailure($0.text, reason: "it cannot be cleaned without encoding its picture again")
    }
    let run = SourceRun(kind: "clean", concurrentCount: 2, console: console, style: style)
    let (_, failureCount) = await run.report(
      sources, problems: listing.problems + uncleaned, on: console
    ) { [target] text, index, _ in
      try await CleanReport(text, index, kept, target, pipeline, isUpright: isUpright, keepsTimes: keepsTimes)
    }
    return failureCount > 0 ? .failed : .done
  }

  private static func kept(_ arguments: ParsedArguments) throws(UsageError) -> KeptMetadata {
    guard let kept = try arguments.choices("keep", among: parts) else { return .appearance }
    guard kept.count == 1 || !kept.contains(where: \.isEmpty) else {
      throw UsageError("--keep: \"nothing\" stands alone")
    }
    return KeptMetadata(kept)
  }

  private static let parts: [(String, KeptMetadata)] = [
    ("orientation", .orientation), ("profile", .colorProfile), ("copyright", .copyright),
    ("all-but-place", .everythingButPlace), ("nothing", []),
  ]
}

/// A file that `ozu clean` wrote.
private struct CleanReport: SourceReport {
  private let source: String
  private let file: CleanedFile
  private let byteCount: Int
  private let output: String

  /// Cleans a file and writes the result.
  ///
  /// - Parameter target: nil to replace the file.
  init(
    _ text: String, _ index: Int, _ kept: KeptMetadata, _ target: OutputTarget?, _ pipeline: ImagePipeline,
    isUpright: Bool, keepsTimes: Bool
  ) async throws {
    // Neither kept in memory nor known to a later run.
    var request = ImageRequest(SourceArgument.source(text))
    request.cachePolicy = .bypass
    let bytes = try await pipeline.data(for: request)
    let cleaned = try await pipeline.cleaned(bytes, keeping: kept)
    let file = isUpright ? await pipeline.turnedUpright(cleaned) : cleaned
    // For names that have its size, its date or its camera.
    let header = target?.namesPicture ?? false ? try await pipeline.header(for: request) : nil
    let size = kept.contains(.orientation) ? header?.size : header?.storedSize
    output = try await BlockingWork.run {
      if let target {
        let result = OutputTarget.Result(
          data: file.data, type: file.type, size: size ?? PixelSize(0, 0), metadata: header?.metadata)
        return try target.write(result, forSource: index)
      }
      let path = SourceArgument.path(ofFile: text)
      let times = keepsTimes ? FileTimes(ofFile: text) : nil
      if file.data != bytes { try OutputFile(path).write(file.data, isDurable: true, times: times) }
      return path
    }
    (source, byteCount) = (SourceArgument.shown(text), bytes.count)
    self.file = file
  }

  func lines(isVerbose: Bool, width: Int?) -> [StyledLine] {
    let dropped = file.dropped.joined(separator: ", ")
    let change = dropped.isEmpty ? "nothing is left out" : "without \(dropped)"
    let facts = ": \(change) (\(Format.bytes(byteCount)) to \(Format.bytes(file.data.count))) -> "
    let names = StyledLine.shortened(
      (PrintableText.name(source), PrintableText.name(output)),
      to: width.map { $0 - facts.columnCount } ?? .max)
    var head = StyledLine(names.0 + facts)
    head.add(names.1, .strong)
    return [head] + file.notes.map { StyledLine("  note: \($0)") }
  }

  var sum: RunSum { RunSum(count: 1, byteCount: byteCount, writtenByteCount: file.data.count) }

  var json: JSON {
    .report(
      "clean",
      [
        ("source", .string(source)), ("type", .string(file.type.rawValue)), ("bytes", .integer(byteCount)),
        ("output", .string(output)), ("outputBytes", .integer(file.data.count)),
        ("dropped", .array(file.dropped.map(JSON.string))), ("notes", .array(file.notes.map(JSON.string))),
      ])
  }
}
