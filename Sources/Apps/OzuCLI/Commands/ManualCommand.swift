enum ManualCommand: Command {
  static let specification = CommandSpecification(
    name: "manual",
    summary: "Print the manual page, for man.",
    synopsis: "",
    examples: [
      Example("Read it", "ozu manual | man -l -")
    ],
    discussion: """
      "make install" puts it where man finds it.
      """)

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    console.print(ManualPage(commands: Tool.commands.map { $0.specification }, version: Version.current).text)
    return .done
  }
}

/// The manual page `ozu(1)` in the language of `man`, made from the specifications of the commands (groff_man(7)).
struct ManualPage {
  let commands: [CommandSpecification]
  let version: String

  var text: String {
    var lines = [
      ".TH OZU 1 \"\" \"ozu \(version)\" \"User Commands\"", ".nh", ".ad l", ".SH NAME",
      "ozu \\- load, resize, cache and show images", ".SH SYNOPSIS", ".B ozu", ".I command", "\\&...",
      ".SH DESCRIPTION",
      escaped(
        "Ozu loads images from files and the web, resizes and changes them, writes them in other formats, and keeps "
          + "what it loaded in a disk cache. Each command says more with --help."),
      ".SH COMMANDS",
    ]
    for command in commands {
      lines += [".SS \"ozu \(escaped(command.name))\"", escaped(command.summary), ".PP"]
      lines += [".RS", ".B ozu \(escaped(command.name))", synopsis(command), ".RE"]
      lines += HelpText.paragraphs(of: command).flatMap(paragraph)
      if !command.examples.isEmpty { lines += [".PP", "Examples:"] + command.examples.flatMap(example) }
      for option in command.options {
        let letter = option.letter.map { "\\-\($0), " } ?? ""
        lines += [".TP", "\\fB\(letter)\(escaped(option.usage))\\fR", escaped(option.help)]
      }
    }
    lines += [".SH EXAMPLES"]
    for command in commands {
      // Beside each other, examples of many commands say best what the command is for.
      guard let first = command.examples.first, command.summary.hasSuffix(".") else { continue }
      lines += example(Example(String(command.summary.dropLast()), first.line))
    }
    lines += section(
      "EXIT STATUS",
      [
        ("0", "All was done."), ("1", "Something failed."),
        ("2", "The command was not understood; nothing was done."),
      ])
    lines += section(
      "ENVIRONMENT",
      [
        ("NO_COLOR", "If it is not empty, reports have no colours."),
        ("TERM", "With dumb there are no colours and no progress bar."),
        ("COLORTERM", "With truecolor or 24bit, ozu show has all colours; else TERM says how many."),
        ("XDG_CACHE_HOME", "The folder of caches, in place of ~/.cache."),
        ("SSL_CERT_FILE", "The certificate authorities to trust, in a PEM file; --cacert comes before it."),
        (
          "SWIFT_BACKTRACE",
          "A crash leaves one line on standard error. With enable=yes, Swift prints where it was; please report that."
        ),
      ])
    lines += section(
      "FILES",
      [
        (
          "~/.cache/ozu/images",
          "The disk cache, if --cache does not name another folder. ozu cache looks after it."
        ),
        ("~/.cache/ozu/untrusted/images", "The disk cache of commands with --untrusted."),
        ("~/.cache/thumbnails", "The thumbnails of ozu thumbnail, which programs of a desktop share."),
      ])
    return lines.joined(separator: "\n")
  }

  /// The operands and options; no line ends within the brackets of an option.
  private func synopsis(_ command: CommandSpecification) -> String {
    HelpText.parts(of: command.synopsis).map { escaped($0).replacing(" ", with: "\\ ") }.joined(
      separator: " ")
  }

  /// A paragraph. A table keeps its lines, where they fit into 80 columns beside the margin of `man`.
  private func paragraph(_ paragraph: (text: String, isTable: Bool)) -> [String] {
    let text = paragraph.isTable ? HelpText.table(paragraph.text, width: 72) : paragraph.text
    let lines = text.split(separator: "\n").map { escaped(String($0)) }
    return paragraph.isTable ? [".PP", ".nf"] + lines + [".fi"] : [".PP"] + lines
  }

  /// What an example does, and its line below, which is not broken.
  private func example(_ example: Example) -> [String] {
    [".TP", escaped(example.meaning) + ":", ".nf", "\\fB\(escaped(example.line))\\fR", ".fi"]
  }

  private func section(_ name: String, _ entries: [(name: String, text: String)]) -> [String] {
    [".SH \(name)"] + entries.flatMap { [".TP", escaped($0.name), escaped($0.text)] }
  }

  /// A line of text in which troff finds no commands.
  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      // Where the locale is C, troff leaves the sign out.
      case "…": result += "..."
      default:
        guard scalar.isASCII else {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
          continue
        }
        result.unicodeScalars.append(scalar)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }
}
