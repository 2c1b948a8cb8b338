/// The script for bash 4 and newer; it needs no package of completions.
struct BashCompletion {
  let commands: [CommandSpecification]

  var script: String {
    """
    # Completion of ozu for bash. Made by: ozu completions bash
    _ozu() {
      local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" name="${COMP_WORDS[1]}"
      COMPREPLY=()
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
