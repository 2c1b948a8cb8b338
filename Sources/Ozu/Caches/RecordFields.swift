import Foundation

/// Writes the fields of a record one after the other, without their names: numbers in groups of seven bits, texts
/// behind their lengths.
///
/// Records stand beside every original and every rendition on disk and are read at each hit there; as JSON they cost
/// more than the read itself.
struct FieldWriter {
  private var bytes: [UInt8] = []

  /// What has been written.
  var data: Data { Data(bytes) }

  mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Negative numbers take ten bytes; there are next to none.
  mutating func append(_ number: some FixedWidthInteger) { append(UInt64(truncatingIfNeeded: Int64(number))) }

  mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  mutating func append(_ text: String) {
    append(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  mutating func append(_ date: Date) { append(date.timeIntervalSince1970.bitPattern) }

  mutating func append(_ key: CacheKey) {
    append(key.high)
    append(key.low)
  }

  /// Something that may be missing: whether it is there, and then itself.
  mutating func append<Value>(_ value: Value?, _ write: (inout FieldWriter, Value) -> Void) {
    append(value != nil)
    if let value { write(&self, value) }
  }

  /// A list: its length and then each element.
  mutating func append<Elements: Collection>(
    _ elements: Elements, _ write: (inout FieldWriter, Elements.Element) -> Void
  ) {
    append(elements.count)
    for element in elements { write(&self, element) }
  }
}

/// Reads what a `FieldWriter` has written, field by field in the same order.
///
/// Whatever the bytes are, it ends with values or with `Damage`; nothing is allocated for a length that the bytes do
/// not have.
struct FieldReader {
  /// The bytes are not what was asked for.
  struct Damage: Error {}

  private let bytes: [UInt8]
  private var place = 0

  init(_ data: Data) { bytes = [UInt8](data) }

  /// Reads a whole record, which begins with its version.
  ///
  /// - Returns: `nil` for one of another version, and for bytes that are damaged or too many.
  static func record<Value>(
    _ data: Data, version: Int, _ read: (inout FieldReader) throws(Damage) -> Value
  ) -> Value? {
    var reader = FieldReader(data)
    do throws(Damage) {
      guard try reader.integer() == version else { return nil }
      let value = try read(&reader)
      return reader.place == reader.bytes.count ? value : nil
    } catch {
      return nil
    }
  }

  private mutating func byte() throws(Damage) -> UInt8 {
    guard place < bytes.count else { throw Damage() }
    defer { place += 1 }
    return bytes[place]
  }

  mutating func word() throws(Damage) -> UInt64 {
    var word: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let byte = try byte()
      word |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return word }
    }
    throw Damage()
  }

  mutating func integer() throws(Damage) -> Int { Int(truncatingIfNeeded: try word()) }

  mutating func flag() throws(Damage) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw Damage()
    }
  }

  mutating func text() throws(Damage) -> String {
    let count = try integer()
    guard count >= 0, count <= bytes.count - place,
      let text = String(validating: bytes[place..<(place + count)], as: UTF8.self)
    else { throw Damage() }
    place += count
    return text
  }

  mutating func date() throws(Damage) -> Date {
    Date(timeIntervalSince1970: Double(bitPattern: try word()))
  }

  mutating func key() throws(Damage) -> CacheKey { CacheKey(high: try word(), low: try word()) }

  mutating func optional<Value>(
    _ read: (inout FieldReader) throws(Damage) -> Value
  ) throws(Damage) -> Value? {
    try flag() ? try read(&self) : nil
  }

  mutating func list<Value>(
    _ read: (inout FieldReader) throws(Damage) -> Value
  ) throws(Damage) -> [Value] {
    let count = try integer()
    // Every element takes a byte at least.
    guard count >= 0, count <= bytes.count - place else { throw Damage() }
    var values: [Value] = []
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }
}
