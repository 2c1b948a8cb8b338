/// The operands and the options of a subcommand. The parser, the help page, the manual and the completions of shells are
/// made from it.
struct CommandSpecification {
  let name: String
  /// One line for the list of commands.
  let summary: String
  /// The operands and options after the name, in the notation of manual pages.
  let synopsis: String
  /// Up to five, the commonest first.
  var examples: [Example] = []
  /// Paragraphs for the help page. Lines that are indented or set in columns stay as they are.
  var discussion = ""
  var options: [OptionSpecification] = []
  /// How many positional arguments are allowed.
  var positional: ClosedRange<Int> = 0...0
  /// The kind of the positional arguments, for completions.
  var operands: ArgumentKind = .text
}

/// A command line, and what it does.
struct Example {
  let meaning: String
  let line: String

  init(_ meaning: String, _ line: String) { (self.meaning, self.line) = (meaning, line) }
}

/// The kind of a value, which decides the completions that a shell offers.
enum ArgumentKind: Equatable {
  /// Anything.
  case text
  /// The path of a file, or of a folder on the way to one.
  case file
  /// The path of a folder.
  case folder
  /// One of a few words.
  case words([String])
  /// Some of a few words, with commas between them.
  case list([String])
}

struct OptionSpecification {
  /// The long name without dashes. Commands look the option up by it.
  let name: String
  /// A one-letter name.
  var letter: Character?
  /// The name of its value in the help; `nil` for a switch.
  var value: String?
  /// Whether the value may be left out. If it is given, it is written `--name=value`, never after a space.
  var isValueOptional = false
  /// The kind of its value, for completions.
  var kind = ArgumentKind.text
  let help: String

  /// Whether the next argument is its value when none is attached.
  var needsValue: Bool { value != nil && !isValueOptional }

  /// The long name with its value: `--output FILE|DIR`, `--trim[=TOLERANCE]`.
  var usage: String {
    "--\(name)" + (value.map { isValueOptional ? "[=\($0)]" : " \($0)" } ?? "")
  }

  /// How the option is written in the help: `-o, --output FILE|DIR`.
  var label: String { (letter.map { "-\($0), " } ?? "    ") + usage }
}

extension OptionSpecification {
  /// Operands and options in the notation of manual pages, on one line.
  /// The operands are the part before the first `[--`.
  static func synopsis(_ operands: String, _ options: [OptionSpecification]) -> String {
    ([operands] + options.map { "[\($0.usage)]" }).joined(separator: " ")
  }

  static let partial = OptionSpecification(
    name: "partial",
    help: "Take what is there of a file that is cut off: JPEG, PNG, WebP and others. A note says so.")
  static let json = OptionSpecification(name: "json", help: "Print JSON, for programs.")
  static let quiet = OptionSpecification(name: "quiet", help: "Print what failed, and nothing else.")
  static let cache = OptionSpecification(
    name: "cache", value: "DIR", kind: .folder,
    help: "The folder of the disk cache; by default one in the user's cache folder.")
  static let noCache = OptionSpecification(
    name: "no-cache", help: "Use no disk cache: nothing is read from it, and nothing is left in it.")
  static let recursive = OptionSpecification(
    name: "recursive", letter: "r", help: "Take the pictures in folders and in their subfolders.")
  static let overwriteSources = OptionSpecification(
    name: "overwrite-sources", help: "Let a result take the place of the file it is made from.")
  static let dryRun = OptionSpecification(
    name: "dry-run", letter: "n", help: "Name the files that would be written; nothing is loaded or written.")

  /// - Parameter count: the number of pictures without the option.
  static func jobs(_ count: Int) -> OptionSpecification {
    OptionSpecification(
      name: "jobs", letter: "j", value: "N",
      help: "How many pictures are worked on at a time, up to 64; \(count) by default. Each holds its pixels."
    )
  }
}
