/// Scripts that complete the words of `ozu` in a shell, made from the specifications of the commands.
enum ShellCompletion: String, CaseIterable {
  case bash, zsh, fish

  func script(_ commands: [CommandSpecification]) -> String {
    switch self {
    case .bash: BashCompletion(commands: commands).script
    case .zsh: ZshCompletion(commands: commands).script
    case .fish: FishCompletion(commands: commands).script
    }
  }
}

extension String {
  /// The text in single quotes, for a POSIX shell.
  var singleQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }
}

/// The script for bash 4 and newer; it needs no package of completions.
struct BashCompletion {
  let commands: [CommandSpecification]

  var script: String {
    """
    # Completion of ozu for bash. Made by: ozu completions bash
    _ozu() {
      local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" name="${COMP_WORDS[1]}" start=""
      COMPREPLY=()
      # A sign "=" is a word of its own: --option=value is three, and two before its value begins.
      if [ "$current" = "=" ]; then
        current=""
      elif [ "$previous" = "=" ] && [ "$COMP_CWORD" -gt 2 ]; then
        previous="${COMP_WORDS[COMP_CWORD-2]}"
      fi
      if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W \(words(commands.map(\.name) + ["help", "--help", "--version"])) -- "$current")
        return
      fi
      case "$name $previous" in
    \(commands.flatMap(values).joined(separator: "\n"))
      esac
      case "$name" in
    \(commands.map(options).joined(separator: "\n"))
        help) mapfile -t COMPREPLY < <(compgen -W \(words(commands.map(\.name))) -- "$current") ;;
      esac
    }
    complete -F _ozu ozu
    """
  }

  private func words(_ words: [String]) -> String { words.joined(separator: " ").singleQuoted }

  /// The command that fills the answer with words of a kind; `:` for text.
  private func fill(_ kind: ArgumentKind) -> String {
    let files = "compopt -o filenames 2> /dev/null; mapfile -t COMPREPLY < <(compgen"
    return switch kind {
    case .text: ":"
    case .file: "\(files) -f -- \"$current\")"
    case .folder: "\(files) -d -- \"$current\")"
    case .words(let list): "mapfile -t COMPREPLY < <(compgen -W \(words(list)) -- \"$current\")"
    // What stands before the last comma stays.
    case .list(let list):
      "case \"$current\" in *,*) start=\"${current%,*},\" ;; esac; "
        + "compopt -o nospace 2> /dev/null; mapfile -t COMPREPLY < <(compgen -P \"$start\" -W \(words(list)) -- \"${current##*,}\")"
    }
  }

  /// A case for each option with a value.
  private func values(_ command: CommandSpecification) -> [String] {
    command.options.filter(\.needsValue).map { option in
      let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
      let patterns = names.map { "'\(command.name) \($0)'" }.joined(separator: "|")
      return "    \(patterns)) \(fill(option.kind)); return ;;"
    }
  }

  private func options(_ command: CommandSpecification) -> String {
    let names =
      command.options.flatMap { ["--\($0.name)"] + ($0.letter.map { ["-\($0)"] } ?? []) } + ["--help"]
    return """
          \(command.name))
            case "$current" in
              -*) mapfile -t COMPREPLY < <(compgen -W \(words(names)) -- "$current") ;;
              *) \(fill(command.operands)) ;;
            esac ;;
      """
  }
}

/// The script for fish 3 and newer.
struct FishCompletion {
  let commands: [CommandSpecification]

  var script: String {
    let names = commands.map(\.name)
    let first = "complete -c ozu -n '__fish_use_subcommand' -f"
    var lines = [
      "# Completion of ozu for fish. Made by: ozu completions fish",
      // The first word is the command; the same word may be the name of a file later.
      "function __ozu_command",
      "  set -l words (commandline -opc)",
      "  test (count $words) -gt 1; and test $words[2] = $argv[1]",
      "end",
      "\(first) -s h -l help -d 'List the commands.'",
      "\(first) -l version -d 'Print the version.'",
      "\(first) -a help -d 'Explain a command.'",
      "complete -c ozu -n '__ozu_command help' -f -a '\(names.joined(separator: " "))'",
    ]
    for command in commands {
      lines.append("\(first) -a \(command.name) -d \(quoted(command.summary))")
      let condition = "complete -c ozu -n '__ozu_command \(command.name)'"
      switch command.operands {
      case .file: break
      case .folder: lines.append("\(condition) -f -a '\(Self.folders)'")
      case .text: lines.append("\(condition) -f")
      case .words(let words), .list(let words):
        lines.append("\(condition) -f -a '\(words.joined(separator: " "))'")
      }
      lines += command.options.map { option in
        let letter = option.letter.map { " -s \($0)" } ?? ""
        return "\(condition)\(letter) -l \(option.name)\(value(option)) -d \(quoted(option.help))"
      }
      lines.append("\(condition) -s h -l help -d 'Explain the command.'")
    }
    return lines.joined(separator: "\n")
  }

  /// The folders that a path may go on to. Without its argument the function takes an option before the path for a part of it.
  private static let folders =
    "(__fish_complete_directories (commandline -ct | string replace -r -- \"^-[^=]*=\" \"\"))"

  private func value(_ option: OptionSpecification) -> String {
    guard option.needsValue else { return "" }
    return switch option.kind {
    case .text: " -x"
    case .file: " -r -F"
    case .folder: " -x -a '\(Self.folders)'"
    case .words(let words):
      " -x -a \(quoted(words.map { explained($0, option.help) }.joined(separator: " ")))"
    case .list(let words):
      " -x -a '(__fish_complete_list , \"string split , \(words.joined(separator: ","))\")'"
    }
  }

  /// A word with what the help of its option says about it: `fit: inside the size. …`. Without a text of its own fish would show
  /// the help of the option beside every word.
  private func explained(_ word: String, _ help: String) -> String {
    let text = help.components(separatedBy: ". ").first { $0.hasPrefix("\(word): ") } ?? ""
    let end = text.hasSuffix(".") ? text.dropLast() : text[...]
    return "\(word)\\t\(quoted(String(end.dropFirst(word.count + 2))))"
  }

  /// A text in the single quotes of fish, where a backslash escapes.
  private func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}

/// The script for zsh, with its completion system.
struct ZshCompletion {
  let commands: [CommandSpecification]

  var script: String {
    """
    #compdef ozu
    # Completion of ozu for zsh. Made by: ozu completions zsh
    _ozu() {
      local -a commands options
      commands=(
    \(commands.map { "    " + "\($0.name):\(escaped($0.summary))".singleQuoted }.joined(separator: "\n"))
        'help:Explain a command.'
      )
      options=('--help:List the commands.' '--version:Print the version.')
      if (( CURRENT == 2 )); then
        if [[ "$PREFIX" = -* ]]; then
          _describe -o -t options option options
        else
          _describe -t commands command commands
        fi
        return
      fi
      local name="${words[2]}"
      shift words
      (( CURRENT-- ))
      case "$name" in
    \(commands.map(arguments).joined(separator: "\n"))
        help) _describe -t commands command commands ;;
      esac
    }
    if [ "$funcstack[1]" = "_ozu" ]; then
      _ozu "$@"
    else
      compdef _ozu ozu
    fi
    """
  }

  /// A text inside the brackets of a specification of `_arguments`.
  private func escaped(_ text: String) -> String {
    text.map { "[]:\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private func action(_ kind: ArgumentKind) -> String {
    switch kind {
    case .text: " "
    case .file: "_files"
    case .folder: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .list(let words): " _values -s , value \(words.joined(separator: " "))"
    }
  }

  private func arguments(_ command: CommandSpecification) -> String {
    let options = command.options.flatMap { option -> [String] in
      let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
      return names.map { name in
        // The star lets an option be given again, because each step counts. "=-" is an optional value after the sign.
        let mark = option.isValueOptional ? "=-" : option.needsValue && name.hasPrefix("--") ? "=" : ""
        let colons = option.isValueOptional ? "::" : ":"
        let value = option.value.map { "\(colons)\(escaped($0)):\(action(option.kind))" } ?? ""
        return "*\(name)\(mark)[\(escaped(option.help))]\(value)".singleQuoted
      }
    }
    let help = "(- *)--help[Explain the command.]".singleQuoted
    let operands = "*:argument:\(action(command.operands))".singleQuoted
    return "    \(command.name)) _arguments -s \\\n      "
      + (options + [help, operands]).joined(separator: " \\\n      ")
      + " ;;"
  }
}

/// `ozu completions`: prints the script that makes a shell complete the words of `ozu`.
enum CompletionsCommand: Command {
  static let specification = CommandSpecification(
    name: "completions",
    summary: "Print a script that makes a shell complete the words of ozu.",
    synopsis: ShellCompletion.allCases.map(\.rawValue).joined(separator: "|"),
    examples: [
      Example("bash, in ~/.bashrc", "eval \"$(ozu completions bash)\""),
      Example("zsh, after compinit", "eval \"$(ozu completions zsh)\""),
      Example("fish", "ozu completions fish > ~/.config/fish/completions/ozu.fish"),
    ],
    discussion: """
      "make install" puts all three in their places.
      """,
    positional: 1...1,
    operands: .words(ShellCompletion.allCases.map(\.rawValue)))

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let word = arguments.positional[0]
    guard let shell = ShellCompletion(rawValue: word) else {
      let names = ShellCompletion.allCases.map(\.rawValue)
      throw UsageError(
        "there are no completions for \"\(word)\"",
        hint: Suggestion.closest(to: word, among: names).map { "Did you mean \"\($0)\"?" }
          ?? "There are completions for \(names.joined(separator: ", ")).")
    }
    console.print(shell.script(Tool.commands.map { $0.specification }))
    return .done
  }
}
