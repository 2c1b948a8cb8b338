import OzuBase

/// The size of the pictures in a sequence parameter set of HEVC (ITU-T H.265 §7.3.2.2). A decoder allocates this
/// size, whatever the file around it declares.
enum HEVCParameterSet {
  /// The unit type of a sequence parameter set.
  private static let kind = 33
  /// Profiles and levels of seven layers take fewer bytes before the size.
  private static let longestPrefix = 256

  /// Whether a unit of the network abstraction layer is a sequence parameter set.
  static func isOne(_ file: Span<UInt8>, at unit: Range<Int>) -> Bool {
    guard !unit.isEmpty, let first = file.byte(at: unit.lowerBound) else { return false }
    return Int(first >> 1) & 63 == kind
  }

  /// The number of pixels of the coded picture; `nil` if the unit cannot be read.
  static func pixelCount(_ file: Span<UInt8>, at unit: Range<Int>) -> Int? {
    var bits = Bits(payload(file, unit))
    // The header of the unit, and the number of another parameter set.
    guard bits.skip(16 + 4), let layers = bits.take(3), bits.skip(1) else { return nil }
    // The profile and level of all layers, then those of each layer that has its own.
    guard bits.skip(88 + 8) else { return nil }
    var present = 0
    for _ in 0..<layers {
      guard let flags = bits.take(2) else { return nil }
      present += (flags >> 1) * 88 + (flags & 1) * 8
    }
    guard bits.skip(layers > 0 ? (8 - layers) * 2 : 0), bits.skip(present), bits.takeExponential() != nil,
      let chroma = bits.takeExponential(), chroma != 3 || bits.skip(1),
      let width = bits.takeExponential(), let height = bits.takeExponential()
    else { return nil }
    return width.saturatingProduct(height)
  }

  /// The first bytes of a unit, without the emulation prevention bytes (§7.4.2).
  private static func payload(_ file: Span<UInt8>, _ unit: Range<Int>) -> [UInt8] {
    var payload: [UInt8] = []
    var zeros = 0
    for byte in file.copy(from: unit.lowerBound, byteCount: min(unit.count, 2 * longestPrefix)) {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    return payload
  }

  private struct Bits {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) -> Bool {
      guard count <= bytes.count * 8 - position else { return false }
      position += count
      return true
    }

    mutating func take(_ count: Int) -> Int? {
      guard count <= bytes.count * 8 - position else { return nil }
      var value = 0
      for _ in 0..<count {
        value = value << 1 | Int(bytes[position >> 3] >> UInt8(7 - position & 7)) & 1
        position += 1
      }
      return value
    }

    /// An unsigned number in Exp-Golomb code (§9.2), of at most 32 bits.
    mutating func takeExponential() -> Int? {
      var zeros = 0
      while true {
        guard let bit = take(1) else { return nil }
        if bit == 1 { break }
        zeros += 1
        guard zeros <= 32 else { return nil }
      }
      return take(zeros).map { (1 << zeros) - 1 + $0 }
    }
  }
}
