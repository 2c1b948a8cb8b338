import Foundation

/// Translations of texts: a line for each text, which has the English one, ` = ` and the translation.
package struct TextCatalogue: Sendable {
  private let texts: String

  package init(_ texts: String) { self.texts = texts }

  /// The translations by their English texts.
  package var table: [String: String] {
    texts.split(separator: "\n").reduce(into: [:]) { table, line in
      guard let sign = line.range(of: " = ") else { return }
      table[String(line[..<sign.lowerBound])] = String(line[sign.upperBound...])
    }
  }

  /// A text with values in place of `%1`, `%2` and so on.
  package static func fill(_ text: String, _ values: [String]) -> String {
    guard !values.isEmpty else { return text }
    // In one pass: a value may have a sign of its own.
    var result = ""
    var rest = text[...]
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
}

/// The language of the user, by the rules of gettext.
package enum UserLanguage {
  /// The first language of an environment for which there is a translation: `LANGUAGE` is a list, and counts unless the locale is
  /// that of C; then `LC_ALL`, `LC_MESSAGES` and `LANG`.
  ///
  /// - Parameter known: the codes of the languages that there are.
  /// - Returns: `nil` for English, and for languages that there are not.
  package static func code(in environment: [String: String], among known: some Collection<String>) -> String?
  {
    guard let locale = setting("LC_MESSAGES", environment) else { return nil }
    let wanted = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
    for name in wanted {
      let code = String(name.prefix { $0.isLetter })
      if code == "en" { return nil }
      if known.contains(code) { return code }
    }
    return nil
  }

  /// The locale of a category; `nil` for that of C.
  package static func setting(_ category: String, _ environment: [String: String]) -> String? {
    let name = ["LC_ALL", category, "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let name, name != "C", name != "POSIX", !name.hasPrefix("C.") else { return nil }
    return name
  }
}
