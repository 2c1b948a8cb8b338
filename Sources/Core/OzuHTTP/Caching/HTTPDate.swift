import OzuBase

/// The dates of HTTP header fields (RFC 9110 §5.6.7), parsed strictly.
///
/// A malformed date is rejected: a cache that guessed would keep a response for a wrong time. The grammar has fixed
/// widths and no time zone except GMT. Only case is ignored, as RFC 9111 §4.2 demands of caches. The day of the
/// week must be a valid name, but is not compared with the date, because the grammar does not demand it.
public enum HTTPDate {
  // Three letters each. Static strings, because a date is read and written for each response.
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
    return String(unsafeUninitializedCapacity: 29) { bytes in
      var count = 0
      func add(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
      }
      func add(_ text: StaticString, from start: Int = 0) {
        for index in start..<start + 3 { add(text.utf8Start[index]) }
      }
      func add(_ number: Int, digits: Int) {
        var power = digits == 4 ? 1000 : 10
        while power > 0 {
          add(0x30 + UInt8(truncatingIfNeeded: number / power % 10))
          power /= 10
        }
      }
      add(shortDays, from: weekday * 3)
      add(0x2C)
      add(0x20)
      add(civil.day, digits: 2)
      add(0x20)
      add(months, from: (civil.month - 1) * 3)
      add(0x20)
      add(civil.year, digits: 4)
      add(0x20)
      add(second / 3600, digits: 2)
      add(0x3A)
      add(second / 60 % 60, digits: 2)
      add(0x3A)
      add(second % 60, digits: 2)
      add(0x20)
      add("GMT")
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
