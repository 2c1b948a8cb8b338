import Foundation
import Ozu
import OzuBase

/// `ozu compare`: measures how much a copy looks like its original.
enum CompareCommand: Command {
  static let specification = CommandSpecification(
    name: "compare",
    summary: "Measure how much a copy looks like its original.",
    synopsis: OptionSpecification.synopsis("ORIGINAL COPY", options),
    examples: [
      Example("Score, noise and bytes", "ozu compare photo.png photo.webp"),
      Example("Fail below a score", "ozu compare photo.png photo.avif --at-least 75 && echo good"),
      Example("Where they differ", "ozu compare photo.png photo.jpg --diff difference.png"),
      Example("With a picture of the web", "ozu compare https://example.com/a.png a.jpg --json"),
      Example("With standard input", "ozu compare - a.jpg < a.png"),
    ],
    discussion: """
      Prints the score of SSIMULACRA 2.1, the peak signal-to-noise ratio in decibels (PSNR), and the sizes. A score of 100 is
      equal, 90 cannot be told from the original, 80 is hard to tell beside it, 70 is good, 50 annoys a little, 30 annoys. Both
      pictures are compared upright, in sRGB and with their first frame; they need the same size, of 8 pixels a side and more.
      PSNR says little about the look.
      A source is the same as for "ozu load".
      """,
    options: options,
    positional: 2...2,
    operands: .file)

  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "at-least", value: "N",
        help: "Fail (exit status 1) if the score is lower than N, from 0 to 100."),
      OptionSpecification(
        name: "diff", value: "FILE", kind: .file,
        help: "Write a PNG of the differences, eight times as bright: black where the pictures are equal."),
    ] + PipelineArguments.options + [.json]

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    try SourceArgument.checkStandardInput(arguments.positional)
    let least = try arguments.integer("at-least", in: 0...100).map(Double.init)
    var configuration = try PipelineArguments.configuration(arguments)
    configuration.decoding.colorPolicy = .convertToSRGB
    let pipeline = PipelineArguments.pipeline(configuration, console: console)
    let path = arguments.value("diff")
    if let path { try refuseDifference(path, arguments.positional) }
    let console = path.map { OutputFile($0).isStandardOutput } == true ? console.withoutOutput : console
    let status = await compare(
      arguments.positional, pipeline, atLeast: least, difference: path, isJSON: arguments.has("json"), console
    )
    await pipeline.end()
    return status
  }

  /// Throws for a file that is compared, which the differences would replace, and for the name of another format.
  private static func refuseDifference(_ path: String, _ texts: [String]) throws(UsageError) {
    if let source = SourceFiles(texts.map(SourceArgument.source)).source(lostBy: path) {
      throw UsageError("--diff \(path): this would replace the source \(source)", hint: "Name another file.")
    }
    if let ending = OutputFormats.otherEnding(of: path, than: .png) {
      throw UsageError(
        "--diff \(path): the differences are a PNG, and the name ends in .\(ending)",
        hint: "For example: --diff difference.png")
    }
  }

  private static func compare(
    _ texts: [String], _ pipeline: ImagePipeline, atLeast least: Double?, difference path: String?,
    isJSON: Bool, _ console: Console
  ) async -> ExitStatus {
    var pictures: [Compared] = []
    var source = texts[0]
    do {
      for text in texts {
        source = text
        pictures.append(try await Compared(text, pipeline))
      }
      let (original, copy) = (pictures[0], pictures[1])
      let comparison = try await BlockingWork.run { try Comparison(original, copy) }
      if let path {
        let difference = try await BlockingWork.run { try copy.bitmap.difference(from: original.bitmap) }
        let data = try await pipeline.encode(Picture(difference), as: .png)
        try await BlockingWork.run { try OutputFile(path).write(data, isDurable: true) }
      }
      console.print(isJSON ? comparison.json.text : comparison.text)
      return comparison.score < least ?? -.infinity ? .failed : .done
    } catch {
      let failure = SourceFailure(source, error)
      if isJSON { failure.json("compare").forEach { console.print($0.text) } }
      failure.errorLines.forEach(console.printError)
      return .failed
    }
  }
}

/// A picture that is compared, and the facts about its file.
private struct Compared: Sendable {
  let name: String
  let byteCount: Int
  let bitmap: Bitmap

  init(_ text: String, _ pipeline: ImagePipeline) async throws {
    name = SourceArgument.shown(text)
    let request = ImageRequest(try await SourceArgument.read(text, for: pipeline))
    byteCount = try await pipeline.data(for: request).count
    bitmap = try await pipeline.image(for: request).bitmap
  }
}

/// What `ozu compare` prints.
private struct Comparison: Sendable {
  let original: Compared
  let copy: Compared
  let score: Double
  /// Infinite for equal pixels.
  let decibels: Double

  init(_ original: Compared, _ copy: Compared) throws(ImageComparisonError) {
    (self.original, self.copy) = (original, copy)
    score = try SSIMULACRA2.score(of: copy.bitmap, original: original.bitmap)
    decibels = try copy.bitmap.peakSignalToNoiseRatio(comparedWith: original.bitmap)
  }

  var text: String {
    let part = Double(copy.byteCount) / Double(max(1, original.byteCount)) * 100
    return """
      SSIMULACRA2  \(String(format: "%.2f", score))
      PSNR         \(decibels.isFinite ? String(format: "%.2f dB", decibels) : "equal")
      size         \(original.bitmap.size) pixels
      bytes        \(Format.bytes(original.byteCount)) to \(Format.bytes(copy.byteCount)) \
      (\(String(format: "%.1f", part)) %)
      """
  }

  var json: JSON {
    .report(
      "compare",
      [
        ("original", .string(original.name)), ("copy", .string(copy.name)), ("ssimulacra2", .number(score)),
        ("psnr", decibels.isFinite ? .number(decibels) : .null),
        ("width", .integer(original.bitmap.size.width)), ("height", .integer(original.bitmap.size.height)),
        ("originalBytes", .integer(original.byteCount)), ("copyBytes", .integer(copy.byteCount)),
      ])
  }
}
