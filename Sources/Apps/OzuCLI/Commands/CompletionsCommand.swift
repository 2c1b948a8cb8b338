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
