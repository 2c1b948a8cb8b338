import Foundation
import Ozu
import OzuBase

/// `ozu frames`: the frames of an animation as files.
enum FramesCommand: Command {
  static let specification = CommandSpecification(
    name: "frames",
    summary: "Write the frames of an animation as files.",
    synopsis: OptionSpecification.synopsis("SOURCE", options),
    examples: [
      Example("All frames", "ozu frames clock.gif -o 'clock-{index}.png'"),
      Example("The tenth", "ozu frames clock.gif -o tenth.png --frame 10"),
      Example("As JPEG, in a folder of its name", "ozu frames clock.webp -o '{name}/{counter:04}.jpg'"),
    ],
    discussion: """
      Each frame is the whole picture at that moment, as it would be seen. A still picture has one frame. {index} is the number
      of the frame, from 1, with zeros in front so that names sort; the other fields, such as {name} and {date}, are as in "ozu
      load". A SOURCE is the same as there. Files are replaced, but never the source.
      """,
    options: options,
    positional: 1...1,
    operands: .file)

  private static let options: [OptionSpecification] =
    [
      OptionSpecification(
        name: "output", letter: "o", value: "TEMPLATE", kind: .file,
        help: "The names of the files; several frames need {index}."),
      OptionSpecification(name: "frame", value: "N", help: "Write this frame alone; the first is 1."),
      .quiet,
    ] + EncodingArguments.stills + PipelineArguments.options

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    guard let path = arguments.value("output") else {
      throw UsageError("frames needs -o", hint: "For example: -o 'frame-{index}.png'")
    }
    let template = try OutputTemplate(path)
    let wanted = try arguments.integer("frame", in: 1...1_000_000)
    let fields: [OutputTemplate.Field] = [.index, .counter, .hash]
    guard wanted != nil || fields.contains(where: template.has) else {
      throw UsageError(
        "-o \(path): several frames need {index} in their names", hint: "--frame 1 writes the first alone.")
    }
    let text = arguments.positional[0]
    let target = try OutputTarget(
      path: path, format: try EncodingArguments.format(arguments), sources: [ListedSource(text: text)],
      overwritesSources: nil, allowsAnyEnding: arguments.has("force"))
    try target.refuseFolder(suggesting: "frame.png")
    let format = try EncodingArguments.outputFormat(arguments, target.format)
    let console = target.isStandardOutput ? console.withoutOutput : console
    let pipeline = PipelineArguments.pipeline(
      try PipelineArguments.configuration(arguments), console: console)
    var status = ExitStatus.done
    do {
      let source = try await SourceArgument.read(text, for: pipeline)
      var request = ImageRequest(source)
      request.colorPolicy = format.colorPolicy(pipeline.configuration.decoding.codecs)
      let picture = try await pipeline.image(for: request)
      var file: Data?
      if format.keepsBlocks { file = try? await pipeline.data(for: request) }
      // All frames have one size and one colour space.
      var known: EncodingOptions?
      let count = picture.animation?.frameCount ?? 1
      let own = target.keepsFormat ? picture.header.flatMap { OutputFormats.written($0.type) } : nil
      if let wanted, wanted > count {
        throw OutputError(reason: count == 1 ? "it has one frame" : "it has \(count) frames")
      }
      for number in wanted.map({ $0...$0 }) ?? 1...count {
        let bitmap = try await picture.animation?.frame(at: number - 1) ?? picture.bitmap
        let type = target.format ?? own ?? (bitmap.isOpaque ? .jpeg : .png)
        let options =
          if let known { known } else { await pipeline.encodingOptions(for: bitmap, of: file, as: format) }
        known = options
        let data = try await pipeline.encode(Picture(bitmap), as: type, options: options)
        let result = OutputTarget.Result(
          data: data, type: type, size: bitmap.size, metadata: picture.header?.metadata, part: number,
          frame: (number, count))
        let place = try await BlockingWork.run { try target.write(result, forSource: 0) }
        guard !arguments.has("quiet") else { continue }
        console.print("\(PrintableText.name(place)): \(bitmap.size), \(Format.bytes(data.count))")
      }
      // Such as frames that a file which is cut off does not have.
      if !arguments.has("quiet") { picture.notes.forEach { console.print("  note: \($0)") } }
    } catch {
      console.printError("ozu: \(SourceArgument.line(text)): \(error.reason)")
      status = .failed
    }
    await pipeline.end()
    return status
  }
}
