import Ozu

/// The help pages, made from the specifications.
enum HelpText {
  /// Columns of a page.
  static let width = 80
  /// Where the explanations of options begin.
  private static let indent = 27

  static func overview(_ commands: [any Command.Type]) -> String {
    let rows =
      commands.map { ($0.specification.name, $0.specification.summary) } + [
        ("help", "Explain a command, with examples.")
      ]
    let longest = rows.map(\.0.count).max() ?? 0
    let list = rows.map { "  " + $0.0.padding(to: longest) + "  " + $0.1 }.joined(separator: "\n")
    return """
      Ozu loads, resizes, converts, compares and caches images.

      \(formats("Reads", readableTypes))
      \(formats("Writes", OutputFormats.types))

      Usage: ozu COMMAND …        Examples: ozu help COMMAND

      \(list)

      \(reflowed("""
        Exit status: 0 done, 1 something failed, 2 wrong usage. When the reader of its output goes away (ozu … | head), a command \
        ends at once by SIGPIPE; a shell reports 141.
        """))
      """
  }

  /// The formats that commands read, drawings too.
  private static var readableTypes: [ImageType] {
    var configuration = ImagePipeline.Configuration()
    if let isolation = try? IsolationOption.isolation(ParsedArguments()) {
      configuration.decoding.isolation = isolation
    }
    return configuration.readableTypes
  }

  /// The names of formats, in lines below each other.
  private static func formats(_ verb: String, _ types: [ImageType]) -> String {
    let names = Set(types.map { ImageFormat.of($0).isCameraRAW ? "camera RAW" : $0.displayName }).sorted {
      $0.lowercased() < $1.lowercased()
    }
    var words = names.dropLast().map { $0 + "," } + names.suffix(1)
    // A name of two words stays in one line.
    words = words.map { $0.replacing(" ", with: "\u{A0}") }
    let hanging = String(repeating: " ", count: 8)
    return lines(words, width: width - hanging.count).enumerated()
      .map { ($0.offset == 0 ? (verb + ":").padding(to: hanging.count) : hanging) + $0.element }
      .joined(separator: "\n").replacing("\u{A0}", with: " ")
  }

  static func page(_ specification: CommandSpecification) -> String {
    var parts = [specification.summary]
    if !specification.examples.isEmpty {
      let examples = specification.examples.map { "  \($0.meaning):\n    \($0.line)" }
      parts.append("Examples:\n" + examples.joined(separator: "\n"))
    }
    parts += paragraphs(of: specification).map { $0.isTable ? table($0.text) : reflowed($0.text) }
    parts.append("Usage:\n" + synopsis(specification))
    if !specification.options.isEmpty {
      parts.append("Options:\n" + specification.options.map(row).joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }

  /// The paragraphs of the discussion. A table, in columns or indented, keeps its lines.
  static func paragraphs(of specification: CommandSpecification) -> [(text: String, isTable: Bool)] {
    specification.discussion.split(separator: "\n\n").map { paragraph in
      let lines = paragraph.split(separator: "\n")
      return (String(paragraph), lines.contains { $0.hasPrefix(" ") || $0.contains("  ") })
    }
  }

  /// A paragraph in lines of the page.
  private static func reflowed(_ text: String) -> String {
    lines(text.split(whereSeparator: \.isWhitespace).map(String.init), width: width).joined(separator: "\n")
  }

  /// The lines of a table; one that is too long goes on below its last column.
  static func table(_ text: String, width: Int = HelpText.width) -> String {
    text.split(separator: "\n").map { line in
      guard line.count > width else { return String(line) }
      let content = line.drop { $0 == " " }
      let column = content.ranges(of: /\s{2,}/).first.map {
        line.distance(from: line.startIndex, to: $0.upperBound)
      }
      let hanging = column ?? line.count - content.count
      let words = line.dropFirst(hanging).split(separator: " ").map(String.init)
      return lines(words, width: width - hanging).enumerated()
        .map {
          ($0.offset == 0 ? line.prefix(hanging) : Substring(String(repeating: " ", count: hanging)))
            + $0.element
        }
        .joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// The operands of a command as its synopsis has them: `SOURCE…`.
  static func operands(_ specification: CommandSpecification) -> String {
    parts(of: specification.synopsis).prefix { !$0.hasPrefix("[-") }.joined(separator: " ")
  }

  /// The command with its operands, without its options.
  static func usage(_ specification: CommandSpecification) -> String {
    let options = specification.options.isEmpty ? "" : "[OPTION…]"
    return ["ozu \(specification.name)", operands(specification), options].filter { !$0.isEmpty }
      .joined(separator: " ")
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
