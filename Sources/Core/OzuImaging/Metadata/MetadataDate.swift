/// A date as the metadata of a file state it: as exact as the writer knew it, and by the clock of the camera where no
/// distance from UTC is stated.
///
/// EXIF, IPTC-IIM and XMP write dates in three notations; all of them become this value.
public struct MetadataDate: Hashable, Sendable, CustomStringConvertible {
  /// The year, 1 to 9999.
  public let year: Int
  /// The month, 1 to 12; `nil` if only the year is known.
  public let month: Int?
  /// The day of the month, 1 to 31.
  public let day: Int?
  /// The hour, 0 to 23.
  public let hour: Int?
  /// The minute, 0 to 59.
  public let minute: Int?
  /// The second, 0 to 60.
  public let second: Int?
  /// The digits of the fraction of the second, at most nine; empty if there are none.
  public let fraction: String
  /// The minutes by which the clock was ahead of UTC; `nil` if the file does not say.
  public let offset: Int?

  /// The date in the notation of ISO 8601, as far as it is known: `2024-05-31T18:20:00.25+02:00`, `2024-05`.
  public var description: String {
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
    let digits = "\(year)"
    var text = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    guard let month else { return text }
    text += "-\(two(month))"
    guard let day else { return text }
    text += "-\(two(day))"
    guard let hour, let minute else { return text }
    text += "T\(two(hour)):\(two(minute))"
    if let second { text += ":\(two(second))" + (fraction.isEmpty ? "" : ".\(fraction)") }
    guard let offset else { return text }
    if offset == 0 { return text + "Z" }
    return text + (offset < 0 ? "-" : "+") + two(abs(offset) / 60) + ":" + two(abs(offset) % 60)
  }

  /// Reads a date in the notation of EXIF (`2024:05:31 18:20:00`) or of ISO 8601 (`2024-05-31T18:20:00.25+02:00`), or
  /// the first part of one. The digits of the date may stand without separators, as in IPTC-IIM (`20240531`).
  ///
  /// - Parameters:
  ///   - fraction: the digits of the fraction of the second, if they are stored apart.
  ///   - offset: the distance from UTC, such as `+02:00`, if it is stored apart.
  /// - Returns: `nil` if it is no date. Parts that nobody filled in, as zeros or spaces, end the date.
  public init?(_ text: String, fraction: String? = nil, offset: String? = nil) {
    var reader = Digits(text.utf8.prefix(64))
    guard let year = reader.number(4), 1...9999 ~= year else { return nil }
    self.year = year
    reader.skip(":-/.")
    month = reader.number(2).flatMap { 1...12 ~= $0 ? $0 : nil }
    reader.skip(":-/.")
    day = month == nil ? nil : reader.number(2).flatMap { 1...31 ~= $0 ? $0 : nil }
    reader.skip(" T")
    hour = day == nil ? nil : reader.number(2).flatMap { 0...23 ~= $0 ? $0 : nil }
    reader.skip(":")
    minute = hour == nil ? nil : reader.number(2).flatMap { 0...59 ~= $0 ? $0 : nil }
    reader.skip(":")
    second = minute == nil ? nil : reader.number(2).flatMap { 0...60 ~= $0 ? $0 : nil }
    let own = second != nil && reader.skip(".") ? reader.allDigits() : ""
    let digits = own.isEmpty ? String((fraction ?? "").prefix { $0.isASCII && $0.isNumber }) : own
    self.fraction = second == nil ? "" : String(digits.prefix(9))
    self.offset =
      minute == nil ? nil : reader.offset() ?? offset.flatMap { Digits($0.utf8.prefix(8)).readingOffset() }
  }

  /// Reads digits in fields of fixed width.
  private struct Digits {
    private var rest: ArraySlice<UInt8>

    init(_ text: some Sequence<UInt8>) { rest = Array(text)[...] }

    mutating func number(_ count: Int) -> Int? {
      let digits = rest.prefix(count)
      guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
      rest = rest.dropFirst(count)
      return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    mutating func allDigits() -> String {
      let digits = rest.prefix { 0x30...0x39 ~= $0 }
      rest = rest.dropFirst(digits.count)
      return String(decoding: digits, as: UTF8.self)
    }

    @discardableResult
    mutating func skip(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// `Z`, `+02:00` or `-0730`, in minutes.
    mutating func offset() -> Int? {
      while skip(" ") {}
      if skip("Z") { return 0 }
      let isNegative = rest.first == UInt8(ascii: "-")
      guard skip("+-"), let hours = number(2), hours <= 15 else { return nil }
      skip(":")
      let minutes = number(2) ?? 0
      guard minutes <= 59 else { return nil }
      return (hours * 60 + minutes) * (isNegative ? -1 : 1)
    }

    func readingOffset() -> Int? {
      var copy = self
      return copy.offset()
    }
  }
}
