import Foundation

/// The numbers at which arithmetic and conversions end, as text and as bytes.
enum AwkwardNumbers {
  static let texts: [[UInt8]] = {
    let powers = (0...64).flatMap { power -> [String] in
      let value = power == 64 ? nil : UInt64(1) << UInt64(power)
      // 2^64 has no type here.
      guard let value else {
        return ["18446744073709551616", "18446744073709551615", "18446744073709551617"]
      }
      return ["\(value - 1)", "\(value)", "\(value + 1)", "-\(value)"]
    }
    let others = [
      "-1", "-0", "+1", "0x10", "1e19", "-1e19", "1e308", "1e309", "5e-324", "NaN", "inf", "-inf", "Infinity",
      "99999999999999999999", "00000000000000000001",
    ]
    return (Array(Set(powers)).sorted() + others).map { Array($0.utf8) }
  }()

  /// Integers, and floating-point values by their bits.
  private static let words: [UInt64] = {
    let powers = (0..<64).flatMap { power -> [UInt64] in
      let value = UInt64(1) << UInt64(power)
      return [value - 1, value, value + 1, 0 &- value]
    }
    let values = [0, 1, -1, .nan, .infinity, -.infinity, 1e19, -1e19, 1e308, -1e308, .leastNonzeroMagnitude]
    let floats = values.map { UInt64(Float($0).bitPattern) }
    return Array(Set(powers)).sorted() + values.map(\.bitPattern) + floats
  }()

  /// The bytes with one run of digits replaced by another number; `nil` if they have none.
  static func replacingOne(in bytes: UnsafeBufferPointer<UInt8>, seed: UInt32) -> [UInt8]? {
    var runs: [Range<Int>] = []
    var start: Int?
    for index in 0...bytes.count {
      let isDigit = index < bytes.count && (0x30...0x39).contains(bytes[index])
      if isDigit, start == nil { start = index }
      if !isDigit, let first = start {
        runs.append(first..<index)
        start = nil
      }
    }
    guard !runs.isEmpty else { return nil }
    let run = runs[Int(seed) % runs.count]
    let number = texts[Int(seed) / runs.count % texts.count]
    return Array(bytes[..<run.lowerBound]) + number + Array(bytes[run.upperBound...])
  }

  /// The bytes with another number somewhere: of 2, 4 or 8 bytes in either order, or one of variable length as records
  /// have, in the place of one; `nil` if there are too few.
  static func overwritingOne(in bytes: UnsafeBufferPointer<UInt8>, seed: UInt32) -> [UInt8]? {
    guard bytes.count > 8 else { return nil }
    var random = Seeded(state: UInt64(seed))
    let place = Int(random.next() % UInt64(bytes.count - 8))
    let word = words[Int(random.next() % UInt64(words.count))]
    let kind = Int(random.next() % 7)
    guard kind < 6 else {
      var number: [UInt8] = []
      var rest = word
      while rest > 0x7F {
        number.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      let end = bytes[place...].firstIndex { $0 < 0x80 } ?? bytes.count - 1
      return Array(bytes[..<place]) + number + [UInt8(rest)] + Array(bytes[(end + 1)...])
    }
    let width = 2 << (kind / 2)
    var changed = Array(bytes)
    for index in 0..<width {
      let shift = 8 * (kind % 2 == 0 ? index : width - 1 - index)
      changed[place + index] = UInt8(truncatingIfNeeded: word >> UInt64(shift))
    }
    return changed
  }

  /// The numbers of SplitMix64.
  private struct Seeded {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
      return word ^ word >> 31
    }
  }
}
