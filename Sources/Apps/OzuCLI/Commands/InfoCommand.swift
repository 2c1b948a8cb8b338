import Foundation
import Ozu

/// `ozu info`: the facts in the header of an image.
enum InfoCommand: Command {
  static let specification = CommandSpecification(
    name: "info",
    summary: "Describe an image by its header alone.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    examples: [
      Example("Size, format, camera, date", "ozu info photo.jpg"),
      Example("Everything that the file tells, the place too", "ozu info --all photo.jpg"),
      Example("A table of a tree", "ozu info -r photos --csv > photos.csv"),
      Example("A line of one's own for each", "ozu info -r photos --format '{path} {width}x{height} {date}'"),
      Example("The damaged files of a tree", "ozu info -r --check photos"),
    ],
    discussion: """
      Type, size in pixels (upright), orientation, colour, frames, and the data of the camera. No pixel is decoded, so the
      command also works for a picture that is too large to load. With --pixels a small rendition is made too: it gives the
      dominant colour, placeholders (BlurHash and ThumbHash), how often an animation is played, and defects of the file.
      With --all everything else that EXIF data, IPTC-IIM and XMP say is printed, the place too. With --check all pictures are
      decoded, and those that are damaged make the command fail: "ozu info -r --check FOLDER" looks through a folder.
      A SOURCE is the same as for "ozu load".
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "pixels", letter: "p",
        help: "Decode the image too: dominant colour, BlurHash, ThumbHash, loops, notes."),
      OptionSpecification(
        name: "all", letter: "a", help: "Read all metadata: dates, exposure, place, names, texts, other tags."
      ),
      .recursive, .from,
    ] + InfoPrinter.options + [.partial, .cache, .noCache] + NetworkArguments.options + [.isolation, .json]

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let configuration = try PipelineArguments.configuration(arguments)
    let listing = try await SourceListing(arguments, output: nil, configuration, console)
    var printer = try InfoPrinter(arguments, console)
    let pipeline = PipelineArguments.pipeline(configuration, console: console)
    for problem in listing.problems {
      if case .failure(let error) = problem.outcome { printer.fail(problem.source, error.reason) }
    }
    for text in listing.sources.map(\.text) {
      do throws(ImageError) {
        let source = try await SourceArgument.read(text, for: pipeline)
        let header = try await pipeline.header(for: ImageRequest(source))
        let wantsPixels = arguments.has("pixels") || printer.isCheck
        let pixels = wantsPixels ? try await pixels(source, arguments, pipeline) : nil
        let metadata = arguments.has("all") ? try await pipeline.metadata(for: ImageRequest(source)) : nil
        printer.print(
          ImageFacts(
            source: text, byteCount: byteCount(of: source), header: header, pixels: pixels, metadata: metadata
          ))
      } catch {
        printer.fail(text, error.explanation)
      }
    }
    printer.finish()
    await pipeline.end()
    return printer.damagedCount == 0 ? .done : .failed
  }

  private static func byteCount(of source: ImageSource) -> Int? {
    switch source {
    case .url(let url) where url.isFileURL:
      try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize
    case .data(let data, _): data.count
    default: nil
    }
  }

  private static func pixels(
    _ source: ImageSource, _ arguments: ParsedArguments, _ pipeline: ImagePipeline
  ) async throws(ImageError) -> PixelFacts {
    var request = ImageRequest(source, resize: Resize(PixelFacts.size))
    request.writeLayers = .originals
    request.allowsTruncation = arguments.has(OptionSpecification.partial.name)
    return PixelFacts(try await pipeline.image(for: request))
  }
}
