import Ozu
import OzuBase

/// The report of `--dry-run`: each source with the paths of its results.
struct OutputPlan {
  /// A file that would be written.
  struct File {
    /// The steps that would be done with the pixels, in words.
    let steps: [String]
    /// `nil` when nothing is written.
    let path: String?
  }

  let listing: SourceListing
  /// The files of the source with a number.
  let files: (Int) -> [File]

  /// - Parameter kind: that of failures in JSON.
  func print(to console: Console, _ style: ReportStyle, _ kind: String) {
    for (index, source) in listing.sources.enumerated() {
      for file in files(index) {
        if style == .json {
          console.report(
            "plan",
            [
              ("source", .string(SourceArgument.shown(source.text))),
              ("steps", .array(file.steps.map(JSON.string))),
              ("output", file.path.map(JSON.string) ?? .null),
            ])
        } else {
          let steps = file.steps.isEmpty ? "as it is" : file.steps.joined(separator: ", ")
          let path = file.path.map { " -> \(PrintableText.name($0))" } ?? ""
          console.print("\(SourceArgument.line(source.text)): \(steps)\(path)")
        }
      }
    }
    for problem in listing.problems {
      if style == .json { problem.json(kind).forEach { console.print($0.text) } }
      problem.errorLines.forEach(console.printError)
    }
  }
}
