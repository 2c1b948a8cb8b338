#if GTK
  import Foundation
  import OzuBase

  /// The texts of the widgets of this module: why there is no picture, `Try Again`, `Pause`.
  ///
  /// They are in English, German, French or Spanish, chosen as gettext does (`LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`). An app
  /// with other languages, or with words of its own, translates them itself:
  ///
  /// ```swift
  /// let dutch = ["Try Again": "Opnieuw proberen", "Pause": "Pauzeren"]
  /// ToolkitTexts.translate { text in dutch[text] }
  /// ```
  public enum ToolkitTexts {
    private static let own = Mutex<(@Sendable (String) -> String?)?>(nil)

    /// Sets who translates the texts. Widgets ask when they show a text; what is shown already stays.
    ///
    /// - Parameter translation: gets a text in English, in which `%1` and so on stand for values, and returns it in the words of the
    ///   app; `nil` leaves it to the module. `nil` instead of a closure leaves all.
    public static func translate(_ translation: (@Sendable (String) -> String?)?) {
      own.withLock { $0 = translation }
    }

    /// All texts in English, as translations get them.
    public static var all: [String] { catalogues.values.first.map { $0.table.keys.sorted() } ?? [] }

    /// The translations, by the code of their language.
    package static let catalogues: [String: TextCatalogue] = ["de": german, "fr": french, "es": spanish]

    private static let current: [String: String] =
      UserLanguage.code(in: ProcessInfo.processInfo.environment, among: catalogues.keys)
      .flatMap { catalogues[$0]?.table } ?? [:]

    /// A text in the words of the app or in the language of the user; `nil` if it has no translation.
    static func translated(_ text: String) -> String? {
      let own = own.withLock { $0 }
      return own?(text) ?? current[text]
    }

    /// A text in the words of the app, in the language of the user, or in English.
    static func text(_ text: String, _ values: String...) -> String {
      TextCatalogue.fill(translated(text) ?? text, values)
    }
  }
#endif
