import Foundation

/// The texts of the gallery in the language of the user.
///
/// - Parameters:
///   - text: the text in English, which is also its key. `%1`, `%2` and so on stand for values.
///   - values: what stands in their place.
func tr(_ text: String, _ values: String...) -> String {
  var result = Texts.current[text] ?? text
  for (index, value) in values.enumerated() { result.replace("%\(index + 1)", with: value) }
  return result
}

/// The languages.
enum Texts {
  /// The texts of the user's language; empty for English and for a language that there is not.
  static let current: [String: String] =
    language(ProcessInfo.processInfo.environment).flatMap { all[$0] } ?? [:]

  /// The locale of dates and numbers.
  static let locale: Locale = {
    let environment = ProcessInfo.processInfo.environment
    let name = ["LC_ALL", "LC_NUMERIC", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let name, name != "C", name != "POSIX", !name.hasPrefix("C.") else {
      return Locale(identifier: "en_US")
    }
    return Locale(identifier: String(name.prefix { $0 != "." && $0 != "@" }))
  }()

  /// The translations, by the code of their language.
  static let all: [String: [String: String]] = [:]

  /// The first language of the environment that there is, by the rules of gettext: `LANGUAGE` is a list, and counts unless
  /// the locale is that of C; then `LC_ALL`, `LC_MESSAGES` and `LANG`.
  static func language(_ environment: [String: String]) -> String? {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale, locale != "C", locale != "POSIX", !locale.hasPrefix("C.") else { return nil }
    let wanted = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
    for name in wanted {
      let code = String(name.prefix { $0.isLetter })
      if code == "en" { return nil }
      if all[code] != nil { return code }
    }
    return nil
  }
}
