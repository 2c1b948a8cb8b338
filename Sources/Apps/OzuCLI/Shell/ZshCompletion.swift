/// The script for zsh, with its completion system.
struct ZshCompletion {
  let commands: [CommandSpecification]

  var script: String {
    """
    #compdef ozu
    # Completion of ozu for zsh. Made by: ozu completions zsh
    _ozu() {
      local -a commands
      commands=(
    \(commands.map { "    " + "\($0.name):\(escaped($0.summary))".singleQuoted }.joined(separator: "\n"))
        'help:Explain a command.'
      )
      if (( CURRENT == 2 )); then
        _describe -t commands command commands
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
    let operands = "*:argument:\(action(command.operands))".singleQuoted
    return "    \(command.name)) _arguments -s \\\n      "
      + (options + [operands]).joined(separator: " \\\n      ")
      + " ;;"
  }
}
