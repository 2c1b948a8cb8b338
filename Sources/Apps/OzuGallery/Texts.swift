import Foundation

/// A text of the gallery in the language of the user.
///
/// - Parameters:
///   - text: the text in English, which is also its key. `%1`, `%2` and so on stand for values.
///   - values: what stands in their place.
func tr(_ text: String, _ values: String...) -> String {
  let translated = Texts.current[text] ?? text
  guard !values.isEmpty else { return translated }
  // In one pass: a value may have a sign of its own.
  var result = ""
  var rest = translated[...]
  while let sign = rest.firstIndex(of: "%") {
    result += rest[..<sign]
    rest = rest[sign...].dropFirst()
    if let number = rest.first?.wholeNumberValue, values.indices.contains(number - 1) {
      result += values[number - 1]
      rest = rest.dropFirst()
    } else {
      result += "%"
    }
  }
  return result + rest
}

/// A translation of all texts.
package struct Language: Sendable {
  /// A line for each text: the English one, ` = ` and the translation.
  let texts: String
  /// What `--help` prints.
  let help: String

  /// The translations by their English texts.
  package var table: [String: String] {
    texts.split(separator: "\n").reduce(into: [:]) { table, line in
      guard let sign = line.range(of: " = ") else { return }
      table[String(line[..<sign.lowerBound])] = String(line[sign.upperBound...])
    }
  }
}

/// The languages, and the one of the user.
package enum Texts {
  /// The translations, by the code of their language. English needs none.
  package static let all: [String: Language] = ["de": .german, "fr": .french, "es": .spanish]

  private static let environment = ProcessInfo.processInfo.environment

  /// The user's language; `nil` for English, and for a language that there is not.
  static let language: Language? = code(in: environment).flatMap { all[$0] }

  /// The texts of the user's language, by their keys.
  static let current: [String: String] = language?.table ?? [:]

  /// The locale of dates and numbers.
  static let locale: Locale = {
    guard let name = setting("LC_NUMERIC", environment) else { return Locale(identifier: "en_US") }
    return Locale(identifier: String(name.prefix { $0 != "." && $0 != "@" }))
  }()

  /// The first language of the environment that there is, by the rules of gettext: `LANGUAGE` is a list, and counts unless
  /// the locale is that of C; then `LC_ALL`, `LC_MESSAGES` and `LANG`.
  package static func code(in environment: [String: String]) -> String? {
    guard let locale = setting("LC_MESSAGES", environment) else { return nil }
    let wanted = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
    for name in wanted {
      let code = String(name.prefix { $0.isLetter })
      if code == "en" { return nil }
      if all[code] != nil { return code }
    }
    return nil
  }

  /// The locale of a category; `nil` for that of C.
  private static func setting(_ category: String, _ environment: [String: String]) -> String? {
    let name = ["LC_ALL", category, "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let name, name != "C", name != "POSIX", !name.hasPrefix("C.") else { return nil }
    return name
  }
}
