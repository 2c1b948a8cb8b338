/// Reads the fields of a `FieldWriter` in the same order.
///
/// For any bytes, it returns values or throws `Damage`; it allocates nothing for a length that the bytes do not
/// have.
package struct FieldReader {
  /// The bytes do not contain the requested value.
  package struct Damage: Error {
    package init() {}
  }

  private let bytes: [UInt8]
  private var place = 0

  package init(_ data: Data) { bytes = data.withUnsafeBytes { [UInt8]($0) } }

  /// Reads a whole record, which begins with its version.
  ///
  /// - Returns: `nil` for another version, for damaged bytes, and if bytes are left.
  @inlinable
  package static func record<Value>(
    _ data: Data, version: Int, _ read: (inout FieldReader) throws(Damage) -> Value
  ) -> Value? {
    var reader = FieldReader(data)
    do throws(Damage) {
      guard try reader.integer() == version else { return nil }
      let value = try read(&reader)
      return reader.isAtEnd ? value : nil
    } catch {
      return nil
    }
  }

  @usableFromInline
  var isAtEnd: Bool { place == bytes.count }

  @usableFromInline
  var restCount: Int { bytes.count - place }

  private mutating func byte() throws(Damage) -> UInt8 {
    guard place < bytes.count else { throw Damage() }
    defer { place += 1 }
    return bytes[place]
  }

  package mutating func word() throws(Damage) -> UInt64 {
    var word: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      let byte = try byte()
      word |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { return word }
    }
    throw Damage()
  }

  package mutating func integer() throws(Damage) -> Int { Int(truncatingIfNeeded: try word()) }

  package mutating func flag() throws(Damage) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw Damage()
    }
  }

  package mutating func text() throws(Damage) -> String {
    let count = try integer()
    guard count >= 0, count <= bytes.count - place else { throw Damage() }
    // A slice of the array would be copied first.
    let text = bytes.withUnsafeBufferPointer {
      String(validating: UnsafeBufferPointer(rebasing: $0[place..<(place + count)]), as: UTF8.self)
    }
    guard let text else { throw Damage() }
    place += count
    return text
  }

  package mutating func date() throws(Damage) -> Date {
    Date(timeIntervalSince1970: try number())
  }

  package mutating func number() throws(Damage) -> Double { Double(bitPattern: try word()) }

  package mutating func data() throws(Damage) -> Data {
    let count = try integer()
    guard count >= 0, count <= bytes.count - place else { throw Damage() }
    defer { place += count }
    return Data(bytes[place..<(place + count)])
  }

  @inlinable
  package mutating func optional<Value>(
    _ read: (inout FieldReader) throws(Damage) -> Value
  ) throws(Damage) -> Value? {
    try flag() ? try read(&self) : nil
  }

  /// A list. Each element takes at least one byte, and usually many times as much in memory, so a list from a sender
  /// that is not trusted needs a `limit`.
  @inlinable
  package mutating func list<Value>(
    atMost limit: Int = .max, _ read: (inout FieldReader) throws(Damage) -> Value
  ) throws(Damage) -> [Value] {
    let count = try integer()
    guard count >= 0, count <= min(restCount, limit) else { throw Damage() }
    var values: [Value] = []
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }
}
