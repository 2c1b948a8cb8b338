import Foundation
import OzuGTK

/// A text of the gallery in the language of the user.
///
/// - Parameters:
///   - text: the text in English, which is also its key. `%1`, `%2` and so on stand for values.
///   - values: what stands in their place.
func tr(_ text: String, _ values: String...) -> String {
  TextCatalogue.fill(Texts.current[text] ?? text, values)
}

/// A translation of all texts.
package struct Language: Sendable {
  /// A line for each text: the English one, ` = ` and the translation.
  let texts: String
  /// What `--help` prints.
  let help: String

  /// The translations by their English texts.
  package var table: [String: String] { TextCatalogue(texts).table }
}

package enum Texts {
  /// The translations, by the code of their language. English needs none.
  package static let all: [String: Language] = ["de": .german, "fr": .french, "es": .spanish]

  private static let environment = ProcessInfo.processInfo.environment

  /// The user's language; `nil` for English, and for a language that there is not.
  static let language: Language? = code(in: environment).flatMap { all[$0] }

  /// The texts of the user's language, by their keys.
  static let current: [String: String] = language?.table ?? [:]

  /// The locale of numbers.
  static let locale = userLocale("LC_NUMERIC", in: environment)

  /// The locale of dates.
  static let dateLocale = userLocale("LC_TIME", in: environment)

  package static func userLocale(_ category: String, in environment: [String: String]) -> Locale {
    let name = UserLanguage.setting(category, environment) ?? "en_US"
    return Locale(identifier: String(name.prefix { $0 != "." && $0 != "@" }))
  }

  /// The first language of the environment that there is.
  package static func code(in environment: [String: String]) -> String? {
    UserLanguage.code(in: environment, among: all.keys)
  }
}
