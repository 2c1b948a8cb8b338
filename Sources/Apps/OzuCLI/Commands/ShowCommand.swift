import Foundation
import Ozu

/// `ozu show`: pictures in the terminal.
enum ShowCommand: Command {
  static let specification = CommandSpecification(
    name: "show",
    summary: "Show images in the terminal.",
    synopsis: OptionSpecification.synopsis("SOURCE…", options),
    examples: [
      Example("A picture", "ozu show photo.jpg"),
      Example("Small ones", "ozu show --columns 40 *.jpg"),
      Example("In 256 colours, into a file", "ozu show photo.jpg -p blocks --colors 256 > photo.txt"),
    ],
    discussion: """
      The terminal is asked what it can show: the graphics protocol of kitty, else sixels, in 256 colours, else half
      blocks, two pixels for each character, in the colours that COLORTERM and TERM promise. A terminal that does not answer within a second shows
      half blocks, and so does one behind a program that does not pass the question on, such as tmux. With --protocol the
      terminal is not asked. Pictures are never enlarged. Of an animation the first frame is shown.

      A SOURCE is the same as for "ozu load".
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let colors = TerminalColors.allCases.map { ($0.rawValue, $0) }
  private static let protocols = Terminal.Graphics.allCases.map { ($0.rawValue, $0) }
  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "protocol", letter: "p", value: protocols.map(\.0).joined(separator: "|"),
        kind: .words(protocols.map(\.0)), help: "How to show them, also where the output is not a terminal."),
      OptionSpecification(
        name: "colors", value: colors.map(\.0).joined(separator: "|"), kind: .words(colors.map(\.0)),
        help:
          "The colours of half blocks: all of 24 bits, 256 or 16; those that the terminal promises by default."
      ),
      OptionSpecification(
        name: "columns", value: "N",
        help: "The most columns a picture takes; those of the terminal by default."),
    ] + PipelineArguments.options

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let asked = try arguments.choice("protocol", among: protocols)
    let columns = try arguments.integer("columns", in: 1...10_000)
    let given = try arguments.choice("colors", among: colors)
    // A file that is written may be shown by any terminal.
    let own = console.outputIsTerminal ? TerminalColors(ProcessInfo.processInfo.environment) : .all
    try SourceArgument.checkStandardInput(arguments.positional)
    let configuration = try PipelineArguments.configuration(arguments)
    guard asked != nil || console.outputIsTerminal else {
      console.printError(
        "ozu show: standard output is not a terminal; with --protocol it is written to all the same")
      return .failed
    }
    let terminal = Terminal(descriptor: STDOUT_FILENO)
    var size = terminal.size
    if let columns { size.columns = min(columns, asked == nil ? size.columns : columns) }
    let graphics: Terminal.Graphics
    if let asked {
      graphics = asked
    } else {
      graphics = (try? await BlockingWork.run { terminal.graphics() }) ?? .blocks
    }
    let pipeline = PipelineArguments.pipeline(configuration, console: console)
    let preview = TerminalPreview(
      graphics: graphics, colors: given ?? own, size: size, pipeline: pipeline)
    var status = ExitStatus.done
    for text in arguments.positional {
      do {
        let source = try await SourceArgument.read(text, for: pipeline)
        // `print` would remove the control sequences. All of them are made here; none comes from a file.
        console.writeOutput(try await preview.text(source) + "\n")
      } catch {
        console.printError("ozu: \(SourceArgument.line(text)): \(error.reason)")
        status = .failed
      }
    }
    await pipeline.end()
    return status
  }
}

/// Makes the text that shows a picture in a terminal.
private struct TerminalPreview {
  let graphics: Terminal.Graphics
  let colors: TerminalColors
  let size: Terminal.Size
  let pipeline: ImagePipeline

  /// The largest side of a picture in pixels, also for a terminal that claims to be larger.
  private static let maximumSide = 4096

  func text(_ source: ImageSource) async throws -> String {
    var request = ImageRequest(source, resize: Resize(room))
    // Other commands have no use for a rendition of the size of a terminal.
    request.writeLayers = .originals
    let picture = try await pipeline.image(for: request)
    switch graphics {
    case .kitty: return KittyGraphics.text(png: try await pipeline.encode(picture, as: .png))
    case .sixel: return SixelImage.text(picture.bitmap)
    case .blocks: return HalfBlocks.text(picture.bitmap, colors)
    }
  }

  /// The pixels that there is room for, above the line of the prompt.
  private var room: PixelSize {
    let rows = max(1, size.rows - 1)
    let (width, height) =
      graphics == .blocks ? (size.columns, rows * 2) : (size.columns * size.cellWidth, rows * size.cellHeight)
    return PixelSize(min(width, Self.maximumSide), min(height, Self.maximumSide))
  }
}
