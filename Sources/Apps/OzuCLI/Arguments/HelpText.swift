/// The help pages, made from the specifications.
enum HelpText {
  /// Columns of a page.
  private static let width = 100
  /// Where the explanations of options begin.
  private static let indent = 30

  static func overview(_ commands: [any Command.Type]) -> String {
    let rows =
      commands.map { ($0.specification.name, $0.specification.summary) } + [("help", "Explain a command.")]
    let longest = rows.map(\.0.count).max() ?? 0
    let list = rows.map { "  " + $0.0.padding(to: longest) + "  " + $0.1 }.joined(separator: "\n")
    return """
      Ozu loads, resizes and caches images.

      Usage: ozu COMMAND …

      \(list)

      "ozu help COMMAND" explains a command. Exit status: 0 done, 1 something failed, 2 wrong usage. When the reader
      of its output goes away (ozu … | head), a command ends at once by SIGPIPE; a shell reports 141.
      """
  }

  static func page(_ specification: CommandSpecification) -> String {
    var parts = [specification.summary, "Usage:\n" + synopsis(specification)]
    if !specification.discussion.isEmpty { parts.append(specification.discussion) }
    if !specification.options.isEmpty {
      parts.append(specification.options.map(row).joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }

  /// The command with its operands and options, in lines of at most `width` columns where no option is longer.
  static func synopsis(_ specification: CommandSpecification) -> String {
    let name = "ozu \(specification.name)"
    let hanging = String(repeating: " ", count: name.count + 1)
    return lines(parts(of: specification.synopsis), width: width - hanging.count)
      .enumerated().map { ($0.offset == 0 ? name + " " : hanging) + $0.element }.joined(separator: "\n")
  }

  /// The words of a synopsis; a group in brackets counts as one word.
  static func parts(of synopsis: String) -> [String] {
    var parts: [String] = []
    var depth = 0
    for word in synopsis.split(separator: " ") {
      if depth > 0 { parts[parts.count - 1] += " " + word } else { parts.append(String(word)) }
      depth += word.count { $0 == "[" } - word.count { $0 == "]" }
    }
    return parts
  }

  private static func row(_ option: OptionSpecification) -> String {
    let label = "  " + option.label
    let margin = String(repeating: " ", count: indent)
    let text = lines(option.help.split(separator: " ").map(String.init), width: width - indent)
    let isLong = label.count > indent - 2
    let first = isLong ? [label] : []
    return
      (first
      + text.enumerated().map { index, line in
        (index == 0 && !isLong ? label.padding(to: indent) : margin) + line
      }).joined(separator: "\n")
  }

  private static func lines(_ words: [String], width: Int) -> [String] {
    words.reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(word)
      }
    }
  }
}

extension String {
  /// The text with spaces after it up to a width; with `alignedRight` before it, for columns of numbers.
  func padding(to width: Int, alignedRight: Bool = false) -> String {
    let spaces = String(repeating: " ", count: max(0, width - count))
    return alignedRight ? spaces + self : self + spaces
  }
}
