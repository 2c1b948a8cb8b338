import Foundation
import Ozu

/// `ozu info`: the facts in the header of an image.
enum InfoCommand: Command {
  static let specification = CommandSpecification(
    name: "info",
    summary: "Describe an image by its header alone.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    discussion: """
      Type, size in pixels (upright), orientation, colour, frames, and the data of the camera. No pixel is decoded, so the
      command also works for a picture that is too large to load. With --pixels a small rendition is made too: it gives the
      dominant colour, placeholders (BlurHash and ThumbHash), how often an animation is played, and defects of the file.
      With --all everything else that EXIF data, IPTC-IIM and XMP say is printed, the place too.
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
      .partial, .cache, .noCache,
    ] + NetworkArguments.options + [.isolation, .json]

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    try SourceArgument.checkStandardInput(arguments.positional)
    let pipeline = try PipelineArguments.pipeline(arguments, console: console)
    let limit = pipeline.configuration.decoding.limits.encodedByteCount
    let isJSON = arguments.has("json")
    var status = ExitStatus.done
    for text in arguments.positional {
      do throws(ImageError) {
        let source = try await SourceArgument.read(text, limit: limit)
        let header = try await pipeline.header(for: ImageRequest(source))
        let pixels = arguments.has("pixels") ? try await pixels(source, arguments, pipeline) : nil
        let metadata = arguments.has("all") ? try await pipeline.metadata(for: ImageRequest(source)) : nil
        let facts = ImageFacts(source: text, header: header, pixels: pixels, metadata: metadata)
        console.print(isJSON ? facts.json.text : facts.text)
      } catch {
        if isJSON {
          let source = JSON.string(SourceArgument.shown(text))
          console.print(
            JSON.report("info", [("source", source), ("error", .string(error.explanation))]).text)
        }
        console.printError("ozu: \(SourceArgument.line(text)): \(error.explanation)")
        status = .failed
      }
    }
    await pipeline.end()
    return status
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
