/// A text with fields in braces, such as `{name}-{width}.{ext}`. A brace of the text itself is written twice. A field may have a form
/// behind a colon, as in `{date:%Y-%m}`.
struct FieldText<Field: RawRepresentable & Sendable>: Sendable where Field.RawValue == String {
  enum Part: Sendable {
    case text(String)
    case field(Field, form: String? = nil)
  }

  /// Texts are not empty, and no two follow one another.
  let parts: [Part]

  /// - Parameters:
  ///   - option: the option whose value it is, for errors.
  ///   - fields: all fields.
  ///   - hasForm: whether a field may have a form.
  init(
    _ text: String, of option: String, fields: [Field], hasForm: (Field) -> Bool = { _ in false }
  ) throws(UsageError) {
    var parts: [Part] = []
    var literal = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "{" || character == "}" else {
        literal.append(character)
        continue
      }
      if rest.first == character {
        rest.removeFirst()
        literal.append(character)
        continue
      }
      guard character == "{", let end = rest.firstIndex(of: "}") else {
        throw UsageError(
          "\(option) \(text): a \"\(character)\" is not matched",
          hint: "A brace in a name is written twice: {{ or }}.")
      }
      let name = String(rest[..<end])
      let words = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let form = words.count > 1 ? String(words[1]) : nil
      guard let field = fields.first(where: { $0.rawValue == words[0] }), form == nil || hasForm(field) else {
        let names = fields.map(\.rawValue)
        throw UsageError(
          "\(option) \(text): there is no field {\(name)}",
          hint: Suggestion.closest(to: name, among: names).map { "Did you mean {\($0)}?" }
            ?? "There are: \(names.map { "{\($0)}" }.joined(separator: ", ")).")
      }
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = ""
      parts.append(.field(field, form: form))
      rest = rest[rest.index(after: end)...]
    }
    if !literal.isEmpty { parts.append(.text(literal)) }
    self.parts = parts
  }
}
