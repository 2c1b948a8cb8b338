/// Writes the fields of a record one after the other, without their names: numbers in groups of seven bits, texts
/// after their lengths.
///
/// A record belongs to every original and every rendition on disk and is read at each hit there; records are also
/// sent between a program and its decoders. As JSON they would take longer than the work that they describe.
package struct FieldWriter {
  private var bytes: [UInt8] = []

  /// Makes a writer; most records have a few hundred bytes.
  package init() { bytes.reserveCapacity(256) }

  /// Makes a writer whose first byte is `byte`.
  package init(after byte: UInt8) {
    self.init()
    bytes.append(byte)
  }

  package var data: Data { Data(bytes) }

  package mutating func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Most numbers have this type; the generic function below takes several times as long if it is not specialised.
  package mutating func append(_ number: Int) { append(UInt64(bitPattern: Int64(number))) }

  /// Negative numbers take ten bytes; they are very rare.
  package mutating func append(_ number: some FixedWidthInteger) {
    append(UInt64(truncatingIfNeeded: Int64(number)))
  }

  package mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  package mutating func append(_ text: String) {
    append(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func append(_ date: Date) { append(date.timeIntervalSince1970) }

  package mutating func append(_ number: Double) { append(number.bitPattern) }

  package mutating func append(_ data: Data) {
    append(data.count)
    bytes.append(contentsOf: data)
  }

  /// An optional value: whether it is there, and then the value.
  @inlinable
  package mutating func append<Value>(_ value: Value?, _ write: (inout FieldWriter, Value) -> Void) {
    append(value != nil)
    if let value { write(&self, value) }
  }

  /// A list: its length, and then each element.
  @inlinable
  package mutating func append<Elements: Collection>(
    _ elements: Elements, _ write: (inout FieldWriter, Elements.Element) -> Void
  ) {
    append(elements.count)
    for element in elements { write(&self, element) }
  }
}
