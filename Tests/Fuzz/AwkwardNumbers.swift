/// The numbers at which arithmetic and conversions end, as text.
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
}
