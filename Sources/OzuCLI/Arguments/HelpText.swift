/// The help pages, made from the specifications.
enum HelpText {
  static func overview(_ commands: [any Command.Type]) -> String {
    let rows =
      commands.map { ($0.specification.name, $0.specification.summary) } + [("help", "Explain a command.")]
    return """
      Ozu loads, resizes and caches images.

      Usage: ozu COMMAND …

      \(columns(rows))

      "ozu help COMMAND" explains a command. Exit status: 0 done, 1 something failed, 2 wrong usage. When the reader
      of its output goes away (ozu … | head), a command ends at once, by SIGPIPE: 141 to a shell.
      """
  }

  static func page(_ specification: CommandSpecification) -> String {
    var parts = [
      specification.summary,
      "Usage: ozu \(specification.name) \(specification.synopsis)",
    ]
    if !specification.discussion.isEmpty { parts.append(specification.discussion) }
    if !specification.options.isEmpty {
      parts.append(columns(specification.options.map { ($0.label, $0.help) }))
    }
    return parts.joined(separator: "\n\n")
  }

  private static func columns(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { label, text in
      "  " + label.padding(to: width) + "  " + text
    }.joined(separator: "\n")
  }
}

extension String {
  /// The text with spaces behind it up to a width, or in front of it when it is a number's column.
  func padding(to width: Int, alignedRight: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - count))
    return alignedRight ? spaces + self : self + spaces
  }
}
