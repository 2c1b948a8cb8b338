import Foundation
import OzuBase

/// Options and arguments of a subcommand, taken apart.
struct ParsedArguments {
  var positional: [String] = []
  /// The options in the order in which they were given, each time that they were; no value for a switch.
  fileprivate(set) var given: [(name: String, value: String?)] = []

  func has(_ name: String) -> Bool { given.contains { $0.name == name } }

  /// The value of an option; the last one counts.
  func value(_ name: String) -> String? { given.last { $0.name == name }?.value }

  /// The value of an option as a whole number in a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "--\(name) \(text): a whole number from \(range.lowerBound) to \(range.upperBound) is needed")
    }
    return number
  }

  /// The value of an option as a number of bytes.
  func byteCount(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let count = Self.byteCount(text), range.contains(count) else {
      throw UsageError(
        "--\(name) \(text): a number of bytes from \(range.lowerBound) on is needed",
        hint: "For example: 100kB or 1GB")
    }
    return count
  }

  /// A number of bytes: 100000, 100kB, 1.5MB or 64MiB. Units are those of the SI and of IEC 80000-13; the case of their letters
  /// does not matter. `nil` for another text.
  static func byteCount(_ text: String) -> Int? {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let unit = byteUnits[text.dropFirst(digits.count).lowercased()], let number = Double(digits),
      number >= 0, unit > 1 || !digits.contains(".")
    else { return nil }
    return unit == 1 ? Int(digits) : Int(exactly: (number * unit).rounded())
  }

  private static let byteUnits: [String: Double] = [
    "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12, "tb": 1e12,
    "ki": 1024, "kib": 1024, "mi": 1_048_576, "mib": 1_048_576, "gi": 1_073_741_824, "gib": 1_073_741_824,
    "ti": 1_099_511_627_776, "tib": 1_099_511_627_776,
  ]

  /// The value of an option as one of a few words, in upper or lower case.
  func choice<Choice>(_ name: String, among choices: [(String, Choice)]) throws(UsageError) -> Choice? {
    try value(name).map { text throws(UsageError) in try Self.choice(text, of: name, among: choices) }
  }

  /// The value of an option as some of a few words with commas between them, each once.
  func choices<Choice: Equatable>(
    _ name: String, among choices: [(String, Choice)]
  ) throws(UsageError) -> [Choice]? {
    guard let text = value(name) else { return nil }
    var found: [Choice] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let choice = try Self.choice(String(word), of: name, among: choices)
      if !found.contains(choice) { found.append(choice) }
    }
    return found
  }

  private static func choice<Choice>(
    _ text: String, of name: String, among choices: [(String, Choice)]
  ) throws(UsageError) -> Choice {
    if let choice = choices.first(where: { $0.0.lowercased() == text.lowercased() }) { return choice.1 }
    let words = choices.map(\.0)
    let other = otherWords[text.lowercased()].flatMap { words.contains($0) ? $0 : nil }
    throw UsageError(
      "--\(name) \(text.isEmpty ? "\"\"" : text): it can be \(words.joined(separator: ", "))",
      hint: (other ?? Suggestion.closest(to: text, among: words)).map { "Did you mean \"\($0)\"?" })
  }

  /// The words of other programs for the modes of a resize.
  private static let otherWords = [
    "crop": "cover", "contain": "fit", "inside": "fit", "exact": "stretch", "fill": "stretch",
    "force": "stretch",
  ]
}

/// Takes a command line apart: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-abc`; everything after
/// `--` and everything that does not begin with a dash is positional. A lone `-` is positional too. An optional value
/// must be written `--name=value`.
struct ArgumentParser {
  private let specification: CommandSpecification

  init(_ specification: CommandSpecification) {
    self.specification = specification
  }

  func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
    var parsed = ParsedArguments()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let count = parsed.given.count
      if argument == "--" {
        parsed.positional += rest
        break
      } else if argument.hasPrefix("--") {
        try parseLong(argument.dropFirst(2), &rest, into: &parsed)
      } else if argument.hasPrefix("-") && argument.count > 1 {
        try parseShort(argument.dropFirst(), &rest, into: &parsed)
      } else {
        parsed.positional.append(argument)
      }
      if parsed.given.count > count { try refuseLooseValue(rest.first, after: parsed.given.last) }
    }
    try checkCount(parsed.positional, hasList: parsed.has(OptionSpecification.from.name))
    try refuseSizes(parsed.positional)
    if specification.operands == .file || specification.operands == .folder, parsed.positional.contains("") {
      throw UsageError("a source without a name", hint: UsageError.unsetVariable)
    }
    return parsed
  }

  private func parseLong(
    _ text: Substring, _ rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
  ) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = specification.options.first(where: { $0.name == name }) else {
      throw UsageError("\(specification.name) has no option --\(name)", hint: hint(for: name))
    }
    let attached = parts.count > 1 ? String(parts[1]) : nil
    if option.value == nil, attached != nil { throw UsageError("--\(name) takes no value") }
    let value =
      if attached != nil || !option.needsValue { attached } else { try value(of: option, &rest) }
    try append(value, of: option, to: &parsed)
  }

  /// Throws for an empty name of a file or a folder: it would stand for the current folder, or for the root. Also for one with the
  /// character that Swift puts in place of bytes that are not UTF-8: the result would have another name, and two such names one file.
  private func append(
    _ value: String?, of option: OptionSpecification, to parsed: inout ParsedArguments
  ) throws(UsageError) {
    if let value, option.kind == .file || option.kind == .folder {
      if value.isEmpty {
        throw UsageError("--\(option.name): a name is needed", hint: UsageError.unsetVariable)
      }
      if value.contains("\u{FFFD}"), access(value, F_OK) != 0 {
        throw UsageError("--\(option.name) \(value): it is not UTF-8, or has the character U+FFFD")
      }
    }
    parsed.given.append((option.name, value))
  }

  /// The option that an unknown long name may stand for.
  private func hint(for name: String) -> String {
    let names = specification.options.map(\.name) + ["help"]
    // A word more, such as --output-dir.
    let longer = names.filter { name.hasPrefix($0 + "-") }.max { $0.count < $1.count }
    // A word less, such as --overwrite.
    let shorter = name.count < 3 ? nil : names.filter { $0.hasPrefix(name) }.min { $0.count < $1.count }
    let other = Self.otherNames[name].flatMap { names.contains($0) ? $0 : nil }
    let meant = shorter ?? other ?? Suggestion.closest(to: name, among: names) ?? longer
    return meant.map { "Did you mean --\($0)?" } ?? helpHint
  }

  /// What other tools call an option.
  private static let otherNames = [
    "resize": "size", "thumbnail": "size", "scale": "size", "fit": "mode", "gray": "grayscale",
    "grey": "grayscale", "monochrome": "grayscale", "strip": "metadata", "extent": "pad", "flop": "mirror",
    "parallel": "jobs", "threads": "jobs", "outdir": "output",
  ]

  private func parseShort(
    _ text: Substring, _ rest: inout ArraySlice<String>, into parsed: inout ParsedArguments
  ) throws(UsageError) {
    try refuseSingleDash(text)
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = specification.options.first(where: { $0.letter == letter }) else {
        // A shell makes such a name of *.png.
        let file = "-" + text
        throw UsageError(
          "\(specification.name) has no option -\(letter)",
          hint: access(file, F_OK) == 0 ? "The file of this name is ./\(PrintableText.name(file))" : helpHint)
      }
      guard option.needsValue else {
        parsed.given.append((option.name, nil))
        continue
      }
      try append(letters.isEmpty ? value(of: option, &rest) : String(letters), of: option, to: &parsed)
      return
    }
  }

  /// Throws for a long name behind one dash: `-output x.jpg` would write to a file called "utput".
  private func refuseSingleDash(_ text: Substring) throws(UsageError) {
    let name = String(text.prefix { $0 != "=" })
    guard name.count > 2 else { return }
    let other = Self.otherNames[name].flatMap { other in specification.options.first { $0.name == other } }
    guard let option = specification.options.first(where: { $0.name == name }) ?? other else { return }
    throw UsageError("\(specification.name) has no option -\(name)", hint: "Did you mean --\(option.name)?")
  }

  /// Throws for a number behind an option whose value must be attached: `--trim 20`. It would be a source. A file of that
  /// name is one.
  private func refuseLooseValue(
    _ next: String?, after last: (name: String, value: String?)?
  ) throws(UsageError) {
    guard let next, let last, last.value == nil,
      specification.options.contains(where: { $0.name == last.name && $0.isValueOptional }),
      next.split(separator: ",").allSatisfy({ Double($0) != nil }), access(next, F_OK) != 0
    else { return }
    throw UsageError("\(next): no such file", hint: "Did you mean --\(last.name)=\(next)?")
  }

  /// Throws for a size among the sources: `ozu load a.jpg 320x240`. A file of that name is a source.
  private func refuseSizes(_ positional: [String]) throws(UsageError) {
    guard specification.operands == .file, specification.options.contains(where: { $0.name == "size" }) else {
      return
    }
    for text in positional
    where text.contains(/^([0-9]+x[0-9]*|x[0-9]+|[0-9.]+%)$/) && access(text, F_OK) != 0 {
      throw UsageError("\(text): no such file", hint: "Did you mean --size \(text)?")
    }
  }

  private func value(
    of option: OptionSpecification, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = rest.popFirst() else {
      throw UsageError("--\(option.name) needs a value: \(option.value ?? "")", hint: helpHint)
    }
    return value
  }

  /// - Parameter hasList: whether a list has sources too, so that none need be typed.
  private func checkCount(_ positional: [String], hasList: Bool) throws(UsageError) {
    let range = specification.positional
    let usage = "Usage: \(HelpText.usage(specification))"
    if positional.count < range.lowerBound, !hasList {
      let operands = HelpText.operands(specification)
      throw UsageError(
        "\(specification.name) needs \(operands)",
        hint: usage + "\n\"ozu help \(specification.name)\" has examples.")
    }
    if positional.count > range.upperBound {
      throw UsageError("\(positional[range.upperBound]): one argument too many", hint: usage)
    }
  }

  private var helpHint: String { "\"ozu help \(specification.name)\" lists the options." }
}
