import Foundation
import Ozu

/// `ozu demo`: the main job, shown and checked.
enum DemoCommand: Command {
  static let specification = CommandSpecification(
    name: "demo",
    summary: "Show the work of Ozu on photographs that come with the program.",
    synopsis: "[-o FILE] [--json]",
    examples: [
      Example("All of it, in two seconds", "ozu demo -o sheet.png")
    ],
    discussion: """
      Starts an image server on this machine, loads its photographs at 320x240 over the network, again through a
      fresh pipeline (from disk), again (from memory), and says where each came from, how long it took and how
      much memory it needed. Writes a contact sheet. Fails when a picture came from another place than expected.
      """,
    options: [
      OptionSpecification(
        name: "output", letter: "o", value: "FILE", kind: .file,
        help: "The contact sheet, a PNG; by default a new file in the temporary folder."),
      .json,
    ])

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let sheet = arguments.value("output") ?? newSheet
    if let ending = OutputFormats.otherEnding(of: sheet, than: .png) {
      throw UsageError("-o \(sheet): the contact sheet is a PNG, and the name ends in .\(ending)")
    }
    let file = OutputFile(sheet)
    let console = file.isStandardOutput ? console.withoutOutput : console
    do {
      let result = try await Demonstration().run()
      try await write(result, to: file)
      let report = DemoReport(result: result, sheet: sheet)
      if arguments.has("json") {
        console.print(report.json.text)
      } else {
        report.print(to: console)
      }
      for mistake in result.mistakes { console.printError("ozu demo: \(mistake)") }
      return result.mistakes.isEmpty ? .done : .failed
    } catch {
      console.printError("ozu demo: \(error.oneLine)")
      return .failed
    }
  }

  /// A name that nobody knows before: a link of a known name, which another user has put into a folder that all share,
  /// would be followed.
  private static var newSheet: String {
    let name = "ozu-demo-\(UUID().uuidString).png"
    return FileManager.default.temporaryDirectory.appending(path: name).path(percentEncoded: false)
  }

  private static func write(_ result: Demonstration.Result, to file: OutputFile) async throws {
    let thumbnails = result.passes[0].responses.map(\.picture.bitmap)
    let sheet = Picture(ContactSheet(columns: 3, cell: Demonstration.resize.size).drawn(thumbnails))
    let data = try await ImagePipeline { $0.caching.diskStorage = .none }.encode(sheet, as: .png)
    try await BlockingWork.run { try file.write(data, makesFolders: true) }
  }
}
