extension StringProtocol {
  /// The columns that the text takes on a terminal.
  var columnCount: Int { reduce(0) { $0 + $1.columnCount } }

  /// The longest beginning that fits a number of columns.
  func prefix(columns: Int) -> SubSequence {
    var room = columns
    return prefix { character in
      room -= character.columnCount
      return room >= 0
    }
  }

  /// The longest end that fits a number of columns.
  func suffix(columns: Int) -> SubSequence {
    var room = columns
    let kept = reversed().prefix { character in
      room -= character.columnCount
      return room >= 0
    }
    return suffix(kept.count)
  }
}

extension Character {
  /// Characters of East Asian scripts and emoji take two columns (UAX #11, W and F); marks take none of their own.
  var columnCount: Int {
    // Most names end here.
    if isASCII { return 1 }
    return unicodeScalars.contains { scalar in
      scalar.properties.isEmojiPresentation || scalar == "\u{FE0F}"
        || Self.wide.contains { $0.contains(scalar.value) }
    } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF,
    0x20000...0x3FFFD,
  ]
}
