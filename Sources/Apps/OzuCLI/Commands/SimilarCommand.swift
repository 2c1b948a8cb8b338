import Foundation
import Ozu
import OzuBase

/// `ozu similar`: finds pictures that are copies of each other.
enum SimilarCommand: Command {
  static let specification = CommandSpecification(
    name: "similar",
    summary: "Find duplicates, and pictures that look alike.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    examples: [
      Example("Copies in a tree, also in other sizes and formats", "ozu similar -r photos"),
      Example("Files with equal bytes", "ozu similar -r photos --exact"),
      Example("Also those that are less alike", "ozu similar -r photos --distance 14"),
      Example(
        "Of each group all but the best, a path in a line",
        "ozu similar -r photos --json | jq -r '.pictures[1:][]?.source'"),
    ],
    discussion: """
      Prints groups of pictures, with an empty line between two groups: the largest picture first, then its copies, with their
      sizes and how far they are from it. "same bytes" says that the files are equal. The distance is the number of bits, of 64,
      in which the perceptual hashes of two pictures differ: copies in another size, format or quality have 10 at most as a
      rule, other pictures about 32. A group has every picture that is near one of the others in it. Crops, turned and mirrored
      copies are not found, and pictures of one colour only if their bytes are equal. Nothing is removed. A SOURCE is the same
      as for "ozu load".
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "distance", letter: "d", value: "N",
        help: "How far pictures of a group may be from each other, 0 to 32; 8 by default."),
      OptionSpecification(name: "exact", help: "Only files with the same bytes; nothing is decoded."),
      .recursive, .from, .jobs(concurrentPictures),
    ] + PipelineArguments.options + [.json]

  private static let concurrentPictures = 8
  private static let standardDistance = 8

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    Heap.mapLargeBlocks()
    let style = try ReportStyle(arguments)
    let isExact = arguments.has("exact")
    if isExact, arguments.has("distance") {
      throw UsageError("--exact and --distance cannot be used together")
    }
    let distance = try arguments.integer("distance", in: 0...32) ?? standardDistance
    let jobs = try arguments.integer("jobs", in: 1...64) ?? concurrentPictures
    let configuration = try PipelineArguments.configuration(arguments)
    let listing = try await SourceListing(arguments, output: nil, configuration, console)
    let pipeline = PipelineArguments.pipeline(configuration, console: console)
    var pictures: [SimilarPicture] = []
    let run = SourceRun(kind: "similar", concurrentCount: jobs, console: console, style: style)
    let failureCount = await run.run(
      Self.files(listing.sources), problems: listing.problems
    ) { text, _, _ in
      try await SimilarPicture(text, pipeline, isExact: isExact)
    } print: { (picture: SimilarPicture) in
      pictures.append(picture)
    }
    await pipeline.end()
    let groups = await groups(pictures, within: distance)
    for (number, group) in groups.enumerated() {
      console.print(style == .json ? group.json.text : (number == 0 ? "" : "\n") + group.text)
    }
    if groups.isEmpty, !pictures.isEmpty, style == .text { console.print("no pictures look alike") }
    return failureCount > 0 ? .failed : .done
  }

  /// The sources, each file once. By a link, or by a folder within another one, a file has several names, and is no copy of itself:
  /// who removes the copies of a group would remove the picture.
  private static func files(_ listed: [ListedSource]) -> [ListedSource] {
    var positions: [FileIdentity: Int] = [:]
    var files: [ListedSource] = []
    for source in listed {
      let path = SourceArgument.path(ofFile: source.text)
      guard SourceArgument.isFile(source.text), let identity = FileIdentity(path) else {
        files.append(source)
        continue
      }
      guard let position = positions[identity] else {
        positions[identity] = files.count
        files.append(source)
        continue
      }
      // The file itself is named rather than a link to it.
      if isLink(SourceArgument.path(ofFile: files[position].text)), !isLink(path) { files[position] = source }
    }
    return files
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  private static func groups(_ pictures: [SimilarPicture], within distance: Int) async -> [SimilarGroup] {
    (try? await BlockingWork.run { SimilarGroup.groups(of: pictures, within: distance) }) ?? []
  }
}

extension SimilarPicture {
  /// Reads a picture, and makes its hash unless only equal bytes are looked for.
  fileprivate init(_ text: String, _ pipeline: ImagePipeline, isExact: Bool) async throws {
    let request = ImageRequest(try await SourceArgument.read(text, for: pipeline))
    let data = try await pipeline.data(for: request)
    let size = try await pipeline.header(for: request).size
    var hash: PerceptualHash?
    if !isExact {
      var small = ImageRequest(request.source, resize: Resize(PixelSize(Self.side, Self.side)))
      // Other commands have no use for a rendition of this size.
      small.writeLayers = .originals
      hash = PerceptualHash(try await pipeline.image(for: small).bitmap)
    }
    self.init(
      source: SourceArgument.shown(text), size: size, byteCount: data.count, digest: CacheKey(hashing: data),
      hash: hash)
  }

  /// The hash reduces a picture to 32 by 32 pixels; twice as many in front of it leave its averages alone.
  private static let side = 96
}
