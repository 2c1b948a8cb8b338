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
