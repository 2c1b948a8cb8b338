import OzuBase

/// Reads values of JSON whose names have been replaced, and takes the value of a name for a number where one is read.
///
/// Only numbers: a value that could be `true` would decide whether a text is markup. Errors are in words for people, with the path.
struct TemplateDecoder: Decoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private let node: TemplateNode

  init(_ node: TemplateNode, at path: [any CodingKey] = []) {
    (self.node, codingPath) = (node, path)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let fields) = node else { throw mismatch(type, "an object is needed") }
    return KeyedDecodingContainer(Fields<Key>(fields, at: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let nodes) = node else { throw mismatch([Any].self, "a list is needed") }
    return Elements(nodes, at: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func mismatch(_ type: Any.Type, _ reason: String) -> DecodingError {
    .typeMismatch(type, context(reason))
  }

  private func context(_ reason: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: reason)
  }

  private func number() throws -> Double {
    switch node {
    case .number(let number): return number
    case .value(let text):
      // Swift reads words and hexadecimal digits too.
      guard text.utf8.allSatisfy("0123456789+-.eE".utf8.contains), let number = Double(text), number.isFinite
      else {
        throw mismatch(
          Double.self, "a number is needed, not \"\(PrintableText.oneLine("\(text.prefix(40))"))\"")
      }
      return number
    default: throw mismatch(Double.self, "a number is needed")
    }
  }

  private func wholeNumber<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    guard let number = Number(exactly: try number()) else {
      throw mismatch(type, "a number is too large, or is not whole")
    }
    return number
  }
}

extension TemplateDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { node == .null }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value: Any
    if let whole = type as? any FixedWidthInteger.Type {
      value = try wholeNumber(whole)
    } else if type is Double.Type {
      value = try number()
    } else if type is Float.Type {
      value = Float(try number())
    } else if type is Bool.Type {
      guard case .flag(let flag) = node else { throw mismatch(type, "true or false is needed") }
      value = flag
    } else if type is String.Type {
      switch node {
      case .text(let text), .value(let text): value = text
      default: throw mismatch(type, "a text is needed")
      }
    } else {
      return try Value(from: self)
    }
    guard let value = value as? Value else { throw mismatch(type, "it cannot be read") }
    return value
  }
}

extension TemplateDecoder {
  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let codingPath: [any CodingKey]
    private let fields: [String: TemplateNode]

    init(_ fields: [String: TemplateNode], at path: [any CodingKey]) {
      (self.fields, codingPath) = (fields, path)
    }

    var allKeys: [Key] { fields.keys.sorted().compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try decoder(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { TemplateDecoder(.object(fields), at: codingPath) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: any CodingKey) throws -> TemplateDecoder {
      guard let node = fields[key.stringValue] else {
        let context = DecodingError.Context(
          codingPath: codingPath, debugDescription: "it needs \"\(key.stringValue)\"")
        throw DecodingError.keyNotFound(key, context)
      }
      return TemplateDecoder(node, at: codingPath + [key])
    }
  }

  private struct Elements: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey]
    private let nodes: [TemplateNode]
    private(set) var currentIndex = 0

    init(_ nodes: [TemplateNode], at path: [any CodingKey]) { (self.nodes, codingPath) = (nodes, path) }

    var count: Int? { nodes.count }
    var isAtEnd: Bool { currentIndex >= nodes.count }

    mutating func decodeNil() throws -> Bool {
      guard try current().decodeNil() else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let value = try current().decode(type)
      currentIndex += 1
      return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
      let decoder = try current()
      currentIndex += 1
      return decoder
    }

    private func current() throws -> TemplateDecoder {
      guard nodes.indices.contains(currentIndex) else {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "an element is missing")
        throw DecodingError.valueNotFound(Any.self, context)
      }
      return TemplateDecoder(nodes[currentIndex], at: codingPath + [ElementKey(intValue: currentIndex)])
    }
  }

  /// The position of an element in a list, as a part of a path.
  private struct ElementKey: CodingKey {
    let index: Int

    init(intValue: Int) { index = intValue }
    init?(stringValue: String) { return nil }

    var stringValue: String { "\(index)" }
    var intValue: Int? { index }
  }
}
