import Foundation
import Ozu
import OzuBase

/// `ozu card`: a picture that is drawn from a template.
enum CardCommand: Command {
  static let specification = CommandSpecification(
    name: "card",
    summary: "Draw a card from a template and values.",
    synopsis: OptionSpecification.synopsis("TEMPLATE.json", options),
    examples: [
      Example(
        "With a title and a photograph",
        "ozu card card.json --set title='Hello' --set photo=ada.jpg -o card.png"),
      Example("As JPEG on standard output", "ozu card card.json -f jpeg -o - > card.jpg"),
    ],
    discussion: """
      A TEMPLATE is the JSON of a canvas: its size, a background, and elements, which are pictures, labels, rectangles and lines.
      {title} in one of its texts is the place of a value; {{ and }} are braces. Where a number stands, "{name}" takes one. Font files and pictures without a scheme are
      found from the folder of the template; pictures in values, from the current one.
      """,
    options: options,
    positional: 1...1,
    operands: .file)

  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "set", value: "NAME=VALUE",
        help: "The value of a name in the template; may be given several times."),
      OptionSpecification(
        name: "output", letter: "o", value: "FILE|-", kind: .file,
        help: "The card; its ending or --format says the format."),
      .quiet,
    ] + EncodingArguments.drawings + PipelineArguments.options

  private static let largestTemplate = 4 << 20

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError)
    -> ExitStatus
  {
    let text = arguments.positional[0]
    let target = try target(arguments)
    let format = try EncodingArguments.outputFormat(arguments, target.format)
    let console = target.isStandardOutput ? console.withoutOutput : console
    var configuration = try configuration(arguments)
    let values = try values(arguments)
    do {
      let canvas = try await canvas(text, values, &configuration)
      // The pictures are known when the template is read; a card replaces none of them.
      let target = try Self.target(arguments, showing: canvas.elements)
      let pipeline = PipelineArguments.pipeline(configuration, console: console)
      let picture = try await draw(canvas, pipeline)
      let type = target.format ?? (picture.bitmap.isOpaque ? .jpeg : .png)
      let options = format.encodingOptions
      let data = try await pipeline.encode(picture, as: type, options: options)
      let result = OutputTarget.Result(data: data, type: type, size: picture.size)
      let place = try await BlockingWork.run { try target.write(result, forSource: 0) }
      await pipeline.end()
      if !arguments.has("quiet") {
        console.print("\(PrintableText.name(place)): \(picture.size), \(Format.bytes(data.count))")
        picture.notes.forEach { console.print("  note: \($0)") }
      }
      return .done
    } catch let error as UsageError {
      throw error
    } catch {
      console.printError("ozu: \(SourceArgument.line(text)): \(error.reason)")
      return .failed
    }
  }

  /// The pictures of a card may be of the web, whatever its template is.
  static func configuration(
    _ arguments: ParsedArguments
  ) throws(UsageError) -> ImagePipeline.Configuration {
    var configuration = try PipelineArguments.configuration(arguments)
    configuration.decoding.isolation = try IsolationOption.isolation(arguments, isUntrusted: true)
    return configuration
  }

  /// - Parameter elements: what the card shows, with pictures whose files it must not replace.
  private static func target(
    _ arguments: ParsedArguments, showing elements: [Canvas.Element] = []
  ) throws(UsageError) -> OutputTarget {
    guard let path = arguments.value("output") else {
      throw UsageError("card needs -o", hint: "For example: -o card.png")
    }
    var files: [ImageSource] = []
    for case .picture(let frame, _) in elements { files.append(SourceArgument.source(frame.source)) }
    return try OutputTarget(
      path: path, format: try EncodingArguments.format(arguments),
      sources: [ListedSource(text: arguments.positional[0])], files: files, overwritesSources: nil,
      allowsAnyEnding: arguments.has("force"))
  }

  /// The canvas of a template and its values. The process that draws may read the folders of its font files.
  private static func canvas(
    _ text: String, _ values: [String: String], _ configuration: inout ImagePipeline.Configuration
  ) async throws -> Canvas {
    let source = try await SourceArgument.read(text, limit: largestTemplate)
    var reading = configuration
    // With --untrusted too: no stranger has named the template.
    reading.readsLocalAddresses = true
    let json = try await ImagePipeline(reading).data(for: ImageRequest(source))
    var canvas = try CanvasTemplate(json).canvas(values)
    let folder =
      text == OutputFile.standardOutput
      ? URL.currentDirectory() : URL(fileURLWithPath: text).deletingLastPathComponent()
    let typed = Set(values.values)
    for index in canvas.elements.indices {
      switch canvas.elements[index] {
      case .label(var label, let placement):
        guard case .file(let path) = label.font else { continue }
        let file = URL(fileURLWithPath: path, relativeTo: folder).standardizedFileURL
        label.font = .file(file.path(percentEncoded: false))
        configuration.decoding.isolation.fontFolders.append(
          file.deletingLastPathComponent().path(percentEncoded: false))
        canvas.elements[index] = .label(label, placement)
      case .picture(var frame, let placement):
        let isTyped = typed.contains(frame.source)
        guard !frame.source.isEmpty, isTyped || !frame.source.contains(":") else { continue }
        let source =
          isTyped
          ? SourceArgument.source(frame.source)
          : .url(URL(fileURLWithPath: frame.source, relativeTo: folder).standardizedFileURL)
        guard case .url(let url) = source, url.isFileURL else { continue }
        frame.source = url.path(percentEncoded: false)
        canvas.elements[index] = .picture(frame, placement)
      case .rectangle, .line: continue
      }
    }
    return canvas
  }

  private static func values(_ arguments: ParsedArguments) throws(UsageError) -> [String: String] {
    var values: [String: String] = [:]
    for option in arguments.given where option.name == "set" {
      let sides = (option.value ?? "").split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, !sides[0].isEmpty else {
        throw UsageError(
          "--set \(option.value ?? ""): a name and a value are needed",
          hint: "For example: --set title=Hello"
        )
      }
      values[String(sides[0])] = String(sides[1])
    }
    return values
  }

  private static func draw(_ canvas: Canvas, _ pipeline: ImagePipeline) async throws -> Picture {
    // A file that the card shows may change under its name, so that no cache knows whether a card is right.
    let request = ImageRequest(canvas: canvas).with { ($0.readLayers, $0.writeLayers) = ([], []) }
    do throws(ImageError) {
      return try await pipeline.image(for: request)
    } catch {
      let picture = error.source == request.source.name ? "" : SourceArgument.line(error.source) + ": "
      throw OutputError(reason: picture + error.reason)
    }
  }
}
