import Foundation
import Ozu

/// `ozu info`: what the header of an image says.
enum InfoCommand: Command {
  static let specification = CommandSpecification(
    name: "info",
    summary: "Say what an image is, from its header alone.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    discussion: """
      Type, size in pixels (upright), orientation, colour, frames, and what a camera wrote. No pixel is decoded, so even a picture that
      is too large to load can be looked at. A SOURCE is what it is for "ozu load".
      """,
    options: options,
    positional: 1...Int.max - 1)

  private static let options: [OptionSpecification] = [.cache] + NetworkArguments.options + [.svg, .json]

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    try SourceArgument.checkStandardInput(arguments.positional)
    let pipeline = try PipelineArguments.pipeline(arguments, console: console)
    let limit = pipeline.configuration.limits.encodedByteCount
    var status = ExitStatus.done
    for text in arguments.positional {
      do throws(ImageError) {
        let request = ImageRequest(try await SourceArgument.read(text, limit: limit))
        let header = try await pipeline.header(for: request)
        console.print(arguments.has("json") ? json(text, header).text : line(text, header))
      } catch {
        if arguments.has("json") {
          console.print(
            JSON.object([("source", .string(text)), ("error", .string(error.explanation))]).text)
        }
        console.printError("ozu: \(SourceArgument.shown(text)): \(error.explanation)")
        status = .failed
      }
    }
    await pipeline.end()
    return status
  }

  private static func line(_ source: String, _ header: ImageHeader) -> String {
    var parts = ["\(header.type.displayName) \(header.size)"]
    parts.append("\(header.colorModel.rawValue), \(header.bitsPerComponent) bit")
    if header.hasAlpha { parts.append("alpha") }
    if header.isProgressive { parts.append("progressive") }
    if header.orientation != .up {
      parts.append("orientation \(header.orientation.rawValue) (stored \(header.storedSize))")
    }
    parts.append("colour profile \(header.colorProfileName ?? header.colorEncoding?.name ?? "none")")
    if let dots = header.dotsPerInch { parts.append("\(Int(dots.rounded())) dots per inch") }
    parts.append(header.frameCountDescription)
    if let camera = header.metadata?.camera { parts.append(camera) }
    if let date = header.metadata?.captureDate { parts.append("taken \(date)") }
    if header.metadata?.hasThumbnail ?? false { parts.append("thumbnail") }
    return "\(SourceArgument.shown(source)): " + parts.joined(separator: ", ")
  }

  private static func json(_ source: String, _ header: ImageHeader) -> JSON {
    .object([
      ("source", .string(SourceArgument.shown(source))), ("type", .string(header.type.rawValue)),
      ("width", .integer(header.size.width)), ("height", .integer(header.size.height)),
      ("storedWidth", .integer(header.storedSize.width)),
      ("storedHeight", .integer(header.storedSize.height)),
      ("orientation", .integer(header.orientation.rawValue)),
      ("colorModel", .string(header.colorModel.rawValue)),
      ("bitsPerComponent", .integer(header.bitsPerComponent)), ("hasAlpha", .bool(header.hasAlpha)),
      ("colorProfile", header.colorProfileName.map(JSON.string) ?? .null),
      ("dotsPerInch", header.dotsPerInch.map(JSON.number) ?? .null),
      ("captureDate", (header.metadata?.captureDate).map(JSON.string) ?? .null),
      ("camera", (header.metadata?.camera).map(JSON.string) ?? .null),
      ("hasThumbnail", .bool(header.metadata?.hasThumbnail ?? false)),
      ("isProgressive", .bool(header.isProgressive)), ("frames", .integer(header.frameCount)),
      ("isFrameCountExact", .bool(header.isFrameCountExact)),
    ])
  }
}
