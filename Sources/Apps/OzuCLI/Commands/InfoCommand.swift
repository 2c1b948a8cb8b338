import Foundation
import Ozu
import OzuBase

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
      dominant colour, placeholders (BlurHash and ThumbHash), the hash by which "ozu similar" compares pictures, how often an
      animation is played, and defects of the file.
      With --all everything else that EXIF data, IPTC-IIM and XMP say is printed, the place too. With --check all pictures are
      decoded, animations with all their frames, and those that are damaged make the command fail: "ozu info -r --check FOLDER"
      looks through a folder, also at files whose names end as those of pictures and of which nothing is left.
      A SOURCE is the same as for "ozu load".
      """,
    options: options,
    positional: 1...Int.max - 1,
    operands: .file)

  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "pixels", letter: "p",
        help: "Decode the image too: dominant colour, BlurHash, ThumbHash, perceptual hash, loops, notes."),
      OptionSpecification(
        name: "all", letter: "a", help: "Read all metadata: dates, exposure, place, names, texts, other tags."
      ),
      .recursive, .from,
    ] + InfoPrinter.options + [.partial] + PipelineArguments.options + [.json]

  /// The errors that tell of a damaged file. With others nobody knows whether it is.
  private static let damage: [ImageError.Kind] = [
    .bodyTruncated, .emptyData, .notAnImage, .corruptData, .truncatedData,
  ]

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let configuration = try PipelineArguments.configuration(arguments)
    let listing = try await SourceListing(
      arguments, output: nil, configuration, console, isByName: arguments.has("check"))
    var printer = try InfoPrinter(arguments, console)
    let pipeline = PipelineArguments.pipeline(configuration, console: console)
    for problem in listing.problems { printer.fail(problem, isDamage: false) }
    for text in listing.sources.map(\.text) {
      do throws(ImageError) {
        let source = try await SourceArgument.read(text, for: pipeline)
        let header = try await pipeline.header(for: ImageRequest(source))
        let wantsPixels = arguments.has("pixels") || printer.isCheck
        let pixels =
          wantsPixels ? try await pixels(source, arguments, pipeline, isCheck: printer.isCheck) : nil
        let metadata = arguments.has("all") ? try await pipeline.metadata(for: ImageRequest(source)) : nil
        printer.print(
          ImageFacts(
            source: text, byteCount: byteCount(of: source, text), header: header, pixels: pixels,
            metadata: metadata))
      } catch {
        printer.fail(SourceFailure(text, error), isDamage: damage.contains(error.kind))
      }
    }
    printer.finish()
    await pipeline.end()
    return printer.hasFailure ? .failed : .done
  }

  private static func byteCount(of source: ImageSource, _ text: String) -> Int? {
    if case .data(let data, _) = source { return data.count }
    return SourceArgument.status(ofFile: text).map { Int($0.st_size) }
  }

  /// - Parameter isCheck: whether all frames of an animation are decoded, and not its first alone.
  private static func pixels(
    _ source: ImageSource, _ arguments: ParsedArguments, _ pipeline: ImagePipeline, isCheck: Bool
  ) async throws(ImageError) -> PixelFacts {
    var request = ImageRequest(source, resize: Resize(PixelFacts.size))
    request.writeLayers = .originals
    request.allowsTruncation = arguments.has(OptionSpecification.partial.name)
    // A rendition may be from before the damage.
    if isCheck { request.readLayers = .originals }
    let picture = try await pipeline.image(for: request)
    var facts = PixelFacts(picture)
    guard isCheck, let animation = picture.animation else { return facts }
    for index in 0..<animation.frameCount {
      do throws(ImageDecodingError) {
        _ = try await animation.frame(at: index)
      } catch {
        facts.damage.append("frame \(index + 1) of \(animation.frameCount) cannot be decoded: \(error)")
        break
      }
    }
    return facts
  }
}

/// Prints what `ozu info` knows of each picture: lines for people, JSON, a table of comma-separated values, or a line of the
/// caller's own form; or, to check files, only those that are damaged and how many there are.
struct InfoPrinter {
  private enum Form {
    case text
    case json
    case csv
    case line(FieldText<Field>)
    case damage
  }

  /// The columns of the table, which are the fields of `--format`. Their values are those of the members in JSON.
  enum Field: String, CaseIterable, Sendable {
    case path, name, type, width, height, bytes, frames, date, camera, lens, profile, orientation

    /// The member of the JSON report; `nil` for the name, which is the last part of the path.
    fileprivate var member: String? {
      switch self {
      case .path: "source"
      case .name: nil
      case .date: "captureDate"
      case .profile: "colorProfile"
      default: rawValue
      }
    }
  }

  static let options = [
    OptionSpecification(
      name: "csv", help: "Print a table of comma-separated values (RFC 4180), with a heading."),
    OptionSpecification(
      name: "format", value: "TEXT",
      help: """
        Print a line of this form for each picture. Fields: \
        \(Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")).
        """),
    OptionSpecification(
      name: "check", help: "Decode every picture, print those that are damaged, and how many there are."),
  ]

  let console: Console
  private let form: Form
  private var count = 0
  private var damagedCount = 0
  /// The sources that failed for another reason than damage, such as a limit.
  private var unreadCount = 0

  /// Whether a source failed, or with `--check` is damaged.
  var hasFailure: Bool { damagedCount + unreadCount > 0 }

  /// Whether pictures are decoded to look for damage.
  var isCheck: Bool { if case .damage = form { true } else { false } }

  init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    self.console = console
    var options = ["json", "csv", "format", "check"].filter { arguments.has($0) }
    // A table and a line have fields of the header alone.
    if options == ["csv"] || options == ["format"] {
      options += ["pixels", "all"].filter { arguments.has($0) }
    }
    guard options.count <= 1 else {
      throw UsageError("--\(options[0]) and --\(options[1]) do not go together")
    }
    if arguments.has("json") {
      form = .json
    } else if arguments.has("csv") {
      form = .csv
      console.print(Field.allCases.map(\.rawValue).joined(separator: ","))
    } else if let text = arguments.value("format") {
      form = .line(try FieldText(text, of: "--format", fields: Field.allCases))
    } else {
      form = arguments.has("check") ? .damage : .text
    }
  }

  mutating func print(_ facts: ImageFacts) {
    count += 1
    switch form {
    case .text: console.print(facts.text)
    case .json: console.print(facts.json.text)
    case .csv:
      let values = values(of: facts)
      console.print(Field.allCases.map { Self.quoted(values[$0] ?? "") }.joined(separator: ","))
    case .line(let text):
      let values = values(of: facts)
      let line = text.parts.map { part in
        switch part {
        // The caller's own, with its tabs.
        case .text(let text): text
        case .field(let field, _): PrintableText.name(values[field] ?? "")
        }
      }
      console.print(line.joined())
    case .damage:
      guard let damage = facts.pixels?.damage, !damage.isEmpty else { return }
      damagedCount += 1
      console.print("\(PrintableText.name(facts.source)): \(damage.joined(separator: ", "))")
    }
  }

  /// A source that is no picture, or that cannot be read.
  mutating func fail(_ failure: SourceFailure, isDamage: Bool) {
    count += 1
    if isDamage { damagedCount += 1 } else { unreadCount += 1 }
    if case .json = form { failure.json("info").forEach { console.print($0.text) } }
    failure.errorLines.forEach(console.printError)
  }

  /// Prints the sum of a check.
  func finish() {
    guard isCheck else { return }
    let unread = unreadCount > 0 ? ", \(unreadCount) not read" : ""
    console.print("\(count) \(count == 1 ? "picture" : "pictures"), \(damagedCount) damaged\(unread)")
  }

  private func values(of facts: ImageFacts) -> [Field: String] {
    let members = Dictionary(uniqueKeysWithValues: facts.members)
    var values: [Field: String] = [:]
    for field in Field.allCases {
      guard let member = field.member.flatMap({ members[$0] }) else { continue }
      if case .null = member { continue }
      if case .string(let text) = member { values[field] = text } else { values[field] = member.text }
    }
    values[.name] = values[.path].map { String($0.split(separator: "/").last ?? "") }
    return values
  }

  /// A value of RFC 4180: in quotation marks if it has a comma, a quotation mark or a line break.
  private static func quoted(_ value: String) -> String {
    guard value.contains(where: { ",\"".contains($0) || $0.isNewline }) else { return value }
    return "\"" + value.replacing("\"", with: "\"\"") + "\""
  }
}
