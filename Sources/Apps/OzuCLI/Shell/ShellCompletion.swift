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
