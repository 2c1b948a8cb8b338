import OzuBase

/// The directives of `Cache-Control` (RFC 9111 §5.2), of a response or of a request.
///
/// Names are compared without case. Malformed directives are ignored, and the others still apply. A directive that
/// occurs twice has all its values; of two lifetimes the shorter one applies (§4.2.1).
package struct CacheControl: Hashable, Sendable {
  private struct Directive: Hashable {
    let name: String
    /// Without its quotes; nil if the directive has no argument.
    let argument: String?
  }

  private var directives: [Directive] = []

  /// Reads the directives of a message.
  package init(_ headers: HTTPHeaders) {
    for value in headers.values(for: "Cache-Control") {
      for element in HTTPList.elements(of: value) { add(element) }
    }
  }

  /// Whether a directive is present, with or without an argument.
  package func contains(_ name: String) -> Bool {
    directives.contains { $0.name.isEqualIgnoringASCIICase(to: name) }
  }

  /// The argument of a directive without its quotes: empty if it has none, `nil` if the directive is absent, the
  /// first one if there are several.
  package func value(_ name: String) -> String? {
    directives.first { $0.name.isEqualIgnoringASCIICase(to: name) }.map { $0.argument ?? "" }
  }

  /// The argument of a directive as seconds; `nil` if the directive is absent.
  ///
  /// Of several arguments the smallest. An argument that is not a number counts as 0, so the response is stale, as
  /// the RFC recommends (§4.2.1). A number that is too large counts as 2^31 (§1.2.2).
  package func seconds(_ name: String) -> Int? {
    directives.lazy.filter { $0.name.isEqualIgnoringASCIICase(to: name) }
      .map { $0.argument.flatMap(DeltaSeconds.parse) ?? 0 }.min()
  }

  /// The field names that qualify a directive such as `no-cache="Set-Cookie"`. Empty if the directive occurs
  /// without field names at least once; `nil` if it is absent.
  package func fieldNames(_ name: String) -> [String]? {
    let found = directives.filter { $0.name.isEqualIgnoringASCIICase(to: name) }
    guard !found.isEmpty else { return nil }
    guard found.allSatisfy({ $0.argument?.isEmpty == false }) else { return [] }
    return found.flatMap { HTTPList.elements(of: $0.argument ?? "") }
  }

  /// Whether there is a `no-cache` without field names (RFC 9111 §5.2.2.4).
  var demandsValidation: Bool { fieldNames("no-cache")?.isEmpty == true }

  private mutating func add(_ element: String) {
    let bytes = element.utf8
    let equals = bytes.firstIndex(of: UInt8(ascii: "="))
    let written = String(element[..<(equals ?? bytes.endIndex)])
    let name = written.trimmingHTTPWhitespace()
    guard name.isHTTPToken else { return }
    var argument: String?
    if let equals {
      // White space around the "=" is not allowed. With it, the name still counts, but not the value.
      let value = element[bytes.index(after: equals)...]
      let isTight =
        name.utf8.count == written.utf8.count && value.utf8.first.map { $0 != 0x20 && $0 != 0x09 } == true
      argument = isTight ? HTTPList.unquoted(String(value)) : ""
    }
    directives.append(Directive(name: name, argument: argument))
  }
}

/// Lists and quoted strings of header fields (RFC 9110 §5.6.1, §5.6.4).
enum HTTPList {
  /// The elements of a comma-separated value, trimmed, without empty ones. Commas in quotes do not separate.
  static func elements(of value: String) -> [String] {
    guard value.utf8.contains(UInt8(ascii: "\"")) else {
      return value.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
        let text = String(Substring(part)).trimmingHTTPWhitespace()
        return text.isEmpty ? nil : text
      }
    }
    var elements: [String] = []
    var element: [UInt8] = []
    var isQuoted = false
    var isEscaped = false
    func finish() {
      let text = String(decoding: element, as: UTF8.self).trimmingHTTPWhitespace()
      if !text.isEmpty { elements.append(text) }
      element.removeAll(keepingCapacity: true)
    }
    for byte in value.utf8 {
      if isEscaped {
        isEscaped = false
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == UInt8(ascii: ","), !isQuoted {
        finish()
        continue
      }
      element.append(byte)
    }
    finish()
    return elements
  }

  /// The content of a quoted string, or the same text if it is not one.
  static func unquoted(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
      return text
    }
    var content: [UInt8] = []
    var isEscaped = false
    for byte in bytes[1..<(bytes.count - 1)] {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        isEscaped = false
        content.append(byte)
      }
    }
    return String(decoding: content, as: UTF8.self)
  }
}

/// A non-negative number of seconds (RFC 9111 §1.2.2).
enum DeltaSeconds {
  /// The value that stands for all larger numbers.
  static let maximum = 1 << 31

  /// The number, or nil if the text has anything except digits.
  static func parse(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return text.utf8.reduce(0) { min($0 * 10 + Int($1 - 0x30), maximum) }
  }
}

/// The dates of HTTP header fields (RFC 9110 §5.6.7), parsed strictly.
///
/// A malformed date is rejected: a cache that guessed would keep a response for a wrong time. The grammar has fixed
/// widths and no time zone except GMT. Only case is ignored, as RFC 9111 §4.2 demands of caches. The day of the
/// week must be a valid name, but is not compared with the date, because the grammar does not demand it.
public enum HTTPDate {
  // Three letters each. Static strings, because a date is read for each response.
  private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"
  private static let shortDays: StaticString = "SunMonTueWedThuFriSat"
  private static let days: [StaticString] = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  /// Parses the date of a field: `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two obsolete forms, `Sunday,
  /// 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. Nil for any other text.
  ///
  /// - Parameter now: decides the century of a year with two digits, which is at most 50 years in the future.
  public static func date(from text: String, now: Date = Date()) -> Date? {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = Scanner(bytes)
      if let date = scanner.fixdate() { return date }
      scanner = Scanner(bytes)
      if let date = scanner.rfc850(now: now) { return date }
      scanner = Scanner(bytes)
      return scanner.asctime()
    }
  }

  /// The dates that the preferred form can have: its years have four digits.
  package static let representable =
    Date(timeIntervalSince1970: -62_167_219_200)...Date(timeIntervalSince1970: 253_402_300_799)

  /// A date in the preferred form, such as `Sun, 06 Nov 1994 08:49:37 GMT`. Fractions of a second are dropped. A date
  /// outside the years 0 to 9999 becomes the first or the last of these.
  public static func string(from date: Date) -> String {
    let total = seconds(of: date)
    let day = total.floorDivided(by: 86_400)
    let second = total - day * 86_400
    let civil = CivilDate(daysSince1970: day)
    let weekday = (day + 4) - (day + 4).floorDivided(by: 7) * 7
    // Byte by byte: each stored response without a date gets one, and joined texts took 8,000 instructions.
    return String(unsafeUninitializedCapacity: 29) { bytes in
      var count = 0
      func put(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
      }
      func name(_ names: StaticString, _ index: Int) {
        for letter in 0..<3 { put(names.utf8Start[3 * index + letter]) }
      }
      func digits(_ number: Int) {
        put(0x30 + UInt8(number / 10))
        put(0x30 + UInt8(number % 10))
      }
      name(shortDays, weekday)
      put(UInt8(ascii: ","))
      put(0x20)
      digits(civil.day)
      put(0x20)
      name(months, civil.month - 1)
      put(0x20)
      digits(civil.year / 100)
      digits(civil.year % 100)
      put(0x20)
      digits(second / 3600)
      put(UInt8(ascii: ":"))
      digits(second / 60 % 60)
      put(UInt8(ascii: ":"))
      digits(second % 60)
      for byte in " GMT".utf8 { put(byte) }
      return count
    }
  }

  /// The whole seconds since 1970 of the nearest representable date.
  private static func seconds(of date: Date) -> Int {
    let bounded = min(max(date, representable.lowerBound), representable.upperBound)
    return Int(clamping: bounded.timeIntervalSince1970, rounded: .down)
  }

  /// Parses a date from left to right. Every step returns nil if the next bytes are not as expected.
  ///
  /// The bytes are valid only during one call of `date(from:)`, and the scanner does not outlive it. Every read is
  /// guarded by a comparison with their count.
  private struct Scanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var place = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    private var isAtEnd: Bool { place == bytes.count }

    mutating func fixdate() -> Date? {
      guard word(shortDays) != nil, literal(", "), let day = number(2), literal(" "),
        let month = word(months), literal(" "), let year = number(4), literal(" "), let time = time(),
        literal(" GMT"), isAtEnd
      else { return nil }
      return CivilDate(year: year, month: month + 1, day: day).date(atSecond: time)
    }

    mutating func rfc850(now: Date) -> Date? {
      guard days.contains(where: { literal($0) }), literal(", "), let day = number(2), literal("-"),
        let month = word(months), literal("-"), let short = number(2), literal(" "), let time = time(),
        literal(" GMT"), isAtEnd
      else { return nil }
      let thisYear = CivilDate(
        daysSince1970: HTTPDate.seconds(of: now).floorDivided(by: 86_400)
      ).year
      var year = thisYear - thisYear % 100 + short
      // A year that is "more than 50 years in the future" means the most recent year in the past with the same
      // digits.
      if year > thisYear + 50 { year -= 100 }
      return CivilDate(year: year, month: month + 1, day: day).date(atSecond: time)
    }

    mutating func asctime() -> Date? {
      guard word(shortDays) != nil, literal(" "), let month = word(months),
        literal(" "), let day = literal(" ") ? number(1) : number(2), literal(" "), let time = time(),
        literal(" "), let year = number(4), isAtEnd
      else { return nil }
      return CivilDate(year: year, month: month + 1, day: day).date(atSecond: time)
    }

    /// The second of the day. A leap second counts as the second before it.
    private mutating func time() -> Int? {
      guard let hour = number(2), literal(":"), let minute = number(2), literal(":"), let second = number(2),
        hour < 24, minute < 60, second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + min(second, 59)
    }

    private mutating func literal(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard begins(with: text, from: 0, count: count) else { return false }
      place += count
      return true
    }

    /// The index of a word, among words of three letters each in one string.
    private mutating func word(_ words: StaticString) -> Int? {
      for index in 0..<words.utf8CodeUnitCount / 3 where begins(with: words, from: index * 3, count: 3) {
        place += 3
        return index
      }
      return nil
    }

    private func begins(with text: StaticString, from start: Int, count: Int) -> Bool {
      guard count <= bytes.count - place else { return false }
      for index in 0..<count
      where bytes[place + index].lowercasedASCII != text.utf8Start[start + index].lowercasedASCII {
        return false
      }
      return true
    }

    private mutating func number(_ digitCount: Int) -> Int? {
      guard digitCount <= bytes.count - place else { return nil }
      var number = 0
      for index in place..<place + digitCount {
        guard (0x30...0x39).contains(bytes[index]) else { return nil }
        number = number * 10 + Int(bytes[index] - 0x30)
      }
      place += digitCount
      return number
    }
  }
}

/// A day of the proleptic Gregorian calendar. The calculation starts years on 1 March, so that the leap day is the
/// last day of a year.
private struct CivilDate {
  var year: Int
  var month: Int
  var day: Int

  init(year: Int, month: Int, day: Int) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  init(daysSince1970: Int) {
    let shifted = daysSince1970 + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  private var daysSince1970: Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear.floorDivided(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The date; nil for a day that its month does not have.
  func date(atSecond second: Int) -> Date? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...lengths[month - 1]).contains(day) else { return nil }
    return Date(timeIntervalSince1970: Double(daysSince1970 * 86_400 + second))
  }
}

extension Int {
  fileprivate func floorDivided(by divisor: Int) -> Int {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
