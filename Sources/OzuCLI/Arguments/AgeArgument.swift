/// An age as people type it: `90s`, `15m`, `12h`, `30d`, `4w`.
enum AgeArgument {
  private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

  /// The seconds of an option's value; `nil` if it was not given.
  static func seconds(_ arguments: ParsedArguments, _ name: String) throws(UsageError) -> Double? {
    guard let text = arguments.value(name) else { return nil }
    guard let last = text.last, let unit = units[last], let number = Int(text.dropLast()), number >= 0,
      !text.hasPrefix("+")
    else {
      throw UsageError("--\(name) \(text): a whole number with a unit is needed: 90s, 15m, 12h, 30d or 4w")
    }
    return Double(number) * unit
  }
}
