import OzuImaging

/// Reads what a file of Netpbm has in letters and digits: its header, and the pixels of a plain file.
struct PNMText {
  static let stage = "header"
  /// No number has more digits; sums and products of a few such numbers fit into an `Int`.
  private static let longestNumber = 9

  var position = 2

  static func corrupt(_ reason: String) -> ImageDecodingError { .corrupt(.pnm, stage: stage, reason: reason) }

  /// The lines of a PAM, up to `ENDHDR`. The kind of tuples follows from their depth, except that four channels may be inks.
  mutating func fields(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> [String: Int] {
    var fields: [String: Int] = [:]
    while true {
      switch try word(bytes) {
      case "ENDHDR": return fields
      case let name where ["WIDTH", "HEIGHT", "DEPTH", "MAXVAL"].contains(name):
        fields[name] = try field(bytes)
      case "TUPLTYPE":
        if try word(bytes).hasPrefix("CMYK") { throw .unsupportedType(.pnm, reason: "it is CMYK in PAM") }
      default: while let byte = bytes.byte(at: position), byte != 0x0A { position += 1 }
      }
    }
  }

  /// The next number of a header.
  mutating func field(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> Int {
    guard let value = try number(bytes) else { throw .truncated(.pnm, stage: Self.stage) }
    return value
  }

  /// The next decimal number; `nil` at the end of the file.
  mutating func number(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> Int? {
    skipSpace(bytes)
    let start = position
    var value = 0
    while let byte = bytes.byte(at: position), 0x30...0x39 ~= byte {
      guard position - start < Self.longestNumber else { throw Self.corrupt("a number that is too long") }
      value = value * 10 + Int(byte - 0x30)
      position += 1
    }
    if position > start { return value }
    guard position >= bytes.count else { throw Self.corrupt("a character that is no digit") }
    return nil
  }

  /// The next digit of a bitmap, which needs no space before it; `nil` at the end of the file.
  mutating func bit(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> Int? {
    skipSpace(bytes)
    guard let digit = bytes.byte(at: position) else { return nil }
    guard digit == 0x30 || digit == 0x31 else { throw Self.corrupt("a pixel that is neither 0 nor 1") }
    position += 1
    return Int(digit - 0x30)
  }

  /// The next word of a header, of which 16 bytes are read.
  private mutating func word(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> String {
    skipSpace(bytes)
    let start = position
    while let byte = bytes.byte(at: position), byte > 0x20 { position += 1 }
    if position == start { throw .truncated(.pnm, stage: Self.stage) }
    return String(decoding: bytes.copy(from: start, byteCount: min(position - start, 16)), as: UTF8.self)
  }

  /// Skips spaces and comments, which extend to the end of their line.
  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    var isComment = false
    while let byte = bytes.byte(at: position) {
      if isComment {
        isComment = byte != 0x0A && byte != 0x0D
      } else if byte == 0x23 {
        isComment = true
      } else if byte != 0x20, !(0x09...0x0D ~= byte) {
        return
      }
      position += 1
    }
  }
}
