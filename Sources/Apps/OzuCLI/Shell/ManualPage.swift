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
      lines += command.discussion.split(separator: "\n\n").flatMap { paragraph(String($0)) }
      for option in command.options {
        let letter = option.letter.map { "\\-\($0), " } ?? ""
        lines += [".TP", "\\fB\(letter)\(escaped(option.usage))\\fR", escaped(option.help)]
      }
    }
    lines += [
      ".SH EXIT STATUS", ".TP", "0", "All was done.", ".TP", "1", "Something failed.", ".TP", "2",
      "The command was not understood; nothing was done.", ".SH ENVIRONMENT", ".TP", "SWIFT_BACKTRACE",
      escaped(
        "A crash leaves one line on standard error. With enable=yes, Swift prints where it was; please report that."
      ),
    ]
    return lines.joined(separator: "\n")
  }

  /// The operands and options; no line ends within the brackets of an option.
  private func synopsis(_ command: CommandSpecification) -> String {
    HelpText.parts(of: command.synopsis).map { escaped($0).replacing(" ", with: "\\ ") }.joined(
      separator: " ")
  }

  /// A paragraph. It keeps its lines if it is in columns or indented.
  private func paragraph(_ text: String) -> [String] {
    let lines = text.split(separator: "\n").map(String.init)
    let isTable = lines.contains { $0.hasPrefix(" ") || $0.contains("  ") }
    return isTable ? [".PP", ".nf"] + lines.map(escaped) + [".fi"] : [".PP"] + lines.map(escaped)
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
