/// A value as text. Two texts are equal only if both values encode equally.
///
/// `(levels:8,name:5:faint,offsets:[1,2.5],mask:nil)`: fields with their names, in their order; numbers in the
/// shortest form that reads back as the same number; texts after their length in bytes, so that no text can equal
/// another value. Sets and dictionaries, which have no order, are sorted.
final class EncodedText: Encoder {
  private enum Content {
    case nothing
    case single(String)
    case list([EncodedText])
    case fields([(name: String, value: EncodedText)])
  }

  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var content = Content.nothing

  /// The text of a value.
  ///
  /// - Throws: the errors of `encode(to:)`.
  static func text<Value: Encodable>(of value: Value) throws -> String {
    switch value {
    case let text as String: return counted(text)
    case let number as Double: return "\(number)"
    case let number as Float: return "\(number)"
    case let number as any BinaryInteger: return "\(number)"
    case let flag as Bool: return "\(flag)"
    case let values as any UnorderedValues:
      return try "{" + values.texts().sorted().joined(separator: ",") + "}"
    default:
      let encoder = EncodedText()
      try value.encode(to: encoder)
      return encoder.text
    }
  }

  /// The text of a value that throws nothing when it is encoded. Any fixed text could equal that of another one.
  static func certainText<Value: Encodable>(of value: Value) -> String {
    do {
      return try text(of: value)
    } catch {
      preconditionFailure("\(Value.self) cannot be encoded (\(error)): give it an identifier")
    }
  }

  fileprivate static func counted(_ text: String) -> String { "\(text.utf8.count):\(text)" }

  private var text: String {
    switch content {
    // A value that encodes nothing has no parts.
    case .nothing: ""
    case .single(let text): text
    case .list(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .fields(let fields):
      "(" + fields.map { Self.name($0.name) + ":" + $0.value.text }.joined(separator: ",") + ")"
    }
  }

  /// The name of a property as it is; other keys are written after their length.
  private static func name(_ key: String) -> String {
    let isPlain = key.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
    return isPlain && key.first?.isNumber == false ? key : counted(key)
  }

  private func set(_ text: String) { content = .single(text) }

  private func append() -> EncodedText {
    let part = EncodedText()
    var parts: [EncodedText] = []
    if case .list(let before) = content { parts = before }
    // Removed from `self` first, so that the array is not copied.
    content = .nothing
    parts.append(part)
    content = .list(parts)
    return part
  }

  private func field(_ name: String) -> EncodedText {
    let part = EncodedText()
    var parts: [(name: String, value: EncodedText)] = []
    if case .fields(let before) = content { parts = before }
    content = .nothing
    parts.append((name, part))
    content = .fields(parts)
    return part
  }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .fields = content {} else { content = .fields([]) }
    return KeyedEncodingContainer(Fields(target: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .list = content {} else { content = .list([]) }
    return List(target: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(target: self) }
}

/// Collections without a defined order: the order of their elements differs from run to run.
private protocol UnorderedValues {
  func texts() throws -> [String]
}

extension Set: UnorderedValues where Element: Encodable {
  fileprivate func texts() throws -> [String] { try map { try EncodedText.text(of: $0) } }
}

extension Dictionary: UnorderedValues where Key: Encodable, Value: Encodable {
  fileprivate func texts() throws -> [String] {
    try map { try EncodedText.text(of: $0.key) + "=" + EncodedText.text(of: $0.value) }
  }
}

extension EncodedText {
  /// The properties of a value. The protocol requires an `encode` for each basic type; the generic one is all of them.
  private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let target: EncodedText
    let codingPath: [any CodingKey] = []

    func encodeNil(forKey key: Key) { target.field(key.stringValue).set("nil") }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      target.field(key.stringValue).set(try EncodedText.text(of: value))
    }

    func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
      target.field(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      target.field(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { target.field("super") }
    func superEncoder(forKey key: Key) -> any Encoder { target.field(key.stringValue) }
  }

  /// The elements of a list.
  private struct List: UnkeyedEncodingContainer {
    let target: EncodedText
    let codingPath: [any CodingKey] = []

    var count: Int { if case .list(let parts) = target.content { parts.count } else { 0 } }

    func encodeNil() { target.append().set("nil") }
    func encode<Value: Encodable>(_ value: Value) throws {
      target.append().set(try EncodedText.text(of: value))
    }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
      target.append().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { target.append().unkeyedContainer() }
    func superEncoder() -> any Encoder { target.append() }
  }

  /// A value without properties or elements.
  private struct Single: SingleValueEncodingContainer {
    let target: EncodedText
    let codingPath: [any CodingKey] = []

    func encodeNil() { target.set("nil") }
    func encode<Value: Encodable>(_ value: Value) throws { target.set(try EncodedText.text(of: value)) }
  }
}
