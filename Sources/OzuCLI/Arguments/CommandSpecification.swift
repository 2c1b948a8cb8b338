/// What a subcommand understands: the parser and the help page both come from it.
struct CommandSpecification {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// What follows the name, in the notation of manual pages.
  let synopsis: String
  /// Paragraphs for the help page.
  var discussion = ""
  var options: [OptionSpecification] = []
  /// How many positional arguments are right.
  var positional: ClosedRange<Int> = 0...0
}

/// An option of a subcommand.
struct OptionSpecification {
  /// The long name without dashes; how commands ask for it.
  let name: String
  /// A one-letter name.
  var letter: Character?
  /// What its value is called; `nil` for a switch.
  var value: String?
  let help: String

  /// How the option is written in the help: `-o, --output FILE|DIR`.
  var label: String {
    (letter.map { "-\($0), " } ?? "    ") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}

extension OptionSpecification {
  /// Operands and options in the notation of manual pages, a line's worth of text.
  static func synopsis(_ operands: String, _ options: [OptionSpecification]) -> String {
    ([operands] + options.map { "[--\($0.name)\($0.value.map { " \($0)" } ?? "")]" }).joined(separator: " ")
  }

  static let json = OptionSpecification(name: "json", help: "Print JSON, for programs.")
  static let cache = OptionSpecification(
    name: "cache", value: "DIR",
    help: "The folder of the disk cache; by default one in the user's cache folder.")
}
