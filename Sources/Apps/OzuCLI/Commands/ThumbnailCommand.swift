import Foundation
import Ozu

/// `ozu thumbnail`: makes thumbnails for file managers, in their shared cache or in a file that they name.
enum ThumbnailCommand: Command {
  static let specification = CommandSpecification(
    name: "thumbnail",
    summary: "Make thumbnails for the cache that file managers share.",
    synopsis: OptionSpecification.synopsis("SOURCE… | --size N SOURCE OUTPUT", options),
    examples: [
      Example("The thumbnails of a tree that file managers show", "ozu thumbnail -r ~/Pictures"),
      Example("One thumbnail", "ozu thumbnail --size 256 photo.jpg photo.png"),
    ],
    discussion: """
      Puts thumbnails of local files into the cache that programs of a desktop share (freedesktop.org, Thumbnail Managing
      Standard): PNG files in ~/.cache/thumbnails/normal (128 pixels), large (256), x-large (512) and xx-large (1024),
      named by the digest of the file's address, with the address and the time of the file's last change in them, and
      readable for their owner alone. A thumbnail is made again only after its file has changed. A failure is remembered in
      fail/ozu-\(Version.current), and this version does not try that file again until it changes. --force makes all of them
      again. The path of each thumbnail that was made is printed.

      With --size one thumbnail of at most N pixels a side is written to OUTPUT, as file managers ask for it by an entry
      in /usr/share/thumbnailers; SOURCE is a path or a file: address. The shared cache is not touched then.

      Nothing is enlarged. Formats that C libraries read are decoded in processes of their own, also where files are named.
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let sizes = ThumbnailSize.allCases.map { ($0.rawValue, $0) }

  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "size", letter: "s", value: "N", help: "Write one thumbnail of N pixels, 1 to 4096, to OUTPUT."),
      OptionSpecification(
        name: "sizes", value: "NAME,…", kind: .list(sizes.map(\.0)),
        help: "normal, large, x-large, xx-large; normal,large by default."),
      OptionSpecification(
        name: "folder", value: "DIR", kind: .folder, help: "The shared cache; that of the user by default."),
      OptionSpecification(name: "force", help: "Make thumbnails again, also where it failed before."),
      .recursive,
      OptionSpecification(name: "quiet", letter: "q", help: "Print only failures."),
      .maxPixels, .isolation,
    ]

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    var configuration = ImagePipeline.Configuration()
    configuration.caching.memoryCache.costLimit = PipelineArguments.memoryCost
    configuration.caching.diskStorage = .none
    configuration.decoding.isolation = try IsolationOption.isolation(arguments, isUntrusted: true)
    try LimitOption.configure(&configuration, arguments)
    if let side = try arguments.integer("size", in: 1...4096) {
      return try await write(side, arguments, configuration, console)
    }
    return try await fill(arguments, configuration, console)
  }

  // MARK: One thumbnail

  private static func write(
    _ side: Int, _ arguments: ParsedArguments, _ configuration: ImagePipeline.Configuration,
    _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard arguments.positional.count == 2 else {
      throw UsageError(
        "--size needs a source and an output", hint: "ozu thumbnail --size 256 photo.jpg photo.png")
    }
    for name in ["sizes", "folder", "force", "recursive"] where arguments.has(name) {
      throw UsageError("--\(name) and --size cannot be used together")
    }
    let (text, output) = (arguments.positional[0], arguments.positional[1])
    guard SourceArgument.isFile(text) else {
      throw UsageError("\(SourceArgument.shown(text)): thumbnails are made of local files")
    }
    let pipeline = PipelineArguments.pipeline(configuration, console: console)
    do {
      let lost = SourceFiles([SourceArgument.source(text)]).source(lostBy: output)
      if lost != nil { throw OutputError(reason: "the thumbnail would take the place of the picture") }
      let original = try ThumbnailMaker.original(text)
      let png = try await ThumbnailMaker(pipeline: pipeline).png(
        SourceArgument.source(text), side: side, original)
      try await BlockingWork.run { try OutputFile(output).write(png) }
      return .done
    } catch {
      console.printError("ozu: \(SourceArgument.line(text)): \(error.reason)")
      return .failed
    }
  }

  // MARK: The shared cache

  private static func fill(
    _ arguments: ParsedArguments, _ configuration: ImagePipeline.Configuration, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let sizes = try arguments.choices("sizes", among: Self.sizes) ?? [.normal, .large]
    let folder =
      arguments.value("folder") ?? ThumbnailCache.standardFolder(ProcessInfo.processInfo.environment)
    let cache = ThumbnailCache(folder: folder, program: "ozu-\(Version.current)")
    let listing = try SourceListing(
      arguments.positional.map { ListedSource(text: $0) },
      isRecursive: arguments.has(OptionSpecification.recursive.name),
      excluding: folder, types: configuration.readableTypes)
    let run = ThumbnailRun(
      cache: cache,
      maker: ThumbnailMaker(pipeline: PipelineArguments.pipeline(configuration, console: console)),
      sizes: sizes, isForced: arguments.has("force"))
    let style: ReportStyle = arguments.has("quiet") ? .quiet : .text
    let failureCount = await SourceRun(concurrentCount: 2, console: console, style: style).run(
      listing.sources, problems: listing.problems
    ) { text, _, _ in
      try await run.make(text)
    } print: { (paths: [String]) in
      if style == .text { paths.forEach { console.print($0) } }
    }
    return failureCount > 0 ? .failed : .done
  }
}

/// The work of `ozu thumbnail` on the shared cache.
struct ThumbnailRun: Sendable {
  let cache: ThumbnailCache
  let maker: ThumbnailMaker
  let sizes: [ThumbnailSize]
  /// Whether to make thumbnails that exist already, or that could not be made before.
  let isForced: Bool

  /// Makes the thumbnails of a source that are missing or older than it, and returns their paths.
  func make(_ text: String) async throws -> [String] {
    let original = try ThumbnailMaker.original(text)
    // The cache has no thumbnails of thumbnails.
    let folder = FileAddress.address(ofPath: cache.folder, in: FileManager.default.currentDirectoryPath)
    if original.address.hasPrefix(folder + "/") { return [] }
    let wanted = sizes.filter { isForced || !cache.hasThumbnail(of: original, $0) }
    if wanted.isEmpty { return [] }
    if !isForced, cache.hasFailed(original) {
      throw OutputError(reason: "no thumbnail could be made before; --force tries again")
    }
    var paths: [String] = []
    for size in wanted {
      let png: Data
      do {
        png = try await maker.png(SourceArgument.source(text), side: size.side, original)
      } catch {
        // Only a fault of the picture is remembered, not a full disk or a file without permission.
        if (error as? ImageError)?.isAboutPicture ?? false { try? cache.storeFailure(of: original) }
        throw error
      }
      try await BlockingWork.run { try cache.store(png, of: original, size) }
      paths.append(cache.path(of: original, size))
    }
    return paths
  }
}

extension ImageError {
  /// Whether the picture is the cause, so that another attempt would fail too.
  fileprivate var isAboutPicture: Bool {
    switch kind {
    case .emptyData, .notAnImage, .unsupportedType, .corruptData, .truncatedData, .limitExceeded,
      .decoderFailed:
      true
    default: false
    }
  }
}
