/// The script for fish 3 and newer.
struct FishCompletion {
  let commands: [CommandSpecification]

  var script: String {
    let names = commands.map(\.name)
    var lines = [
      "# Completion of ozu for fish. Made by: ozu completions fish",
      "complete -c ozu -n '__fish_use_subcommand' -f -a help -d 'Explain a command.'",
      "complete -c ozu -n '__fish_seen_subcommand_from help' -f -a '\(names.joined(separator: " "))'",
    ]
    for command in commands {
      lines.append(
        "complete -c ozu -n '__fish_use_subcommand' -f -a \(command.name) -d \(quoted(command.summary))")
      let condition = "complete -c ozu -n '__fish_seen_subcommand_from \(command.name)'"
      switch command.operands {
      case .file: break
      case .folder: lines.append("\(condition) -f -a '(__fish_complete_directories)'")
      case .text: lines.append("\(condition) -f")
      case .words(let words): lines.append("\(condition) -f -a '\(words.joined(separator: " "))'")
      }
      lines += command.options.map { option in
        let letter = option.letter.map { " -s \($0)" } ?? ""
        return "\(condition)\(letter) -l \(option.name)\(value(option)) -d \(quoted(option.help))"
      }
    }
    return lines.joined(separator: "\n")
  }

  private func value(_ option: OptionSpecification) -> String {
    guard option.needsValue else { return "" }
    return switch option.kind {
    case .text: " -x"
    case .file: " -r -F"
    case .folder: " -x -a '(__fish_complete_directories)'"
    case .words(let words): " -x -a '\(words.joined(separator: " "))'"
    }
  }

  /// A text in the single quotes of fish, where a backslash escapes.
  private func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
