import OzuBase
import OzuImaging

/// A value of JSON in the template of a canvas.
enum TemplateNode: Hashable, Sendable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  /// The value of a name that stood alone in a text: a number where a number is read, else a text.
  case value(String)
  case list([TemplateNode])
  case object([String: TemplateNode])

  /// The same with the names in its texts replaced.
  func replacing(isMarkup: Bool = false, _ value: (String) -> String) throws(CanvasTemplate.Failure)
    -> TemplateNode
  {
    switch self {
    case .null, .flag, .number: return self
    case .value: return self
    case .text(let text):
      let filled = try Self.replacing(text, isMarkup, value)
      return Self.isName(text) ? .value(filled) : .text(filled)
    case .list(let list):
      var nodes: [TemplateNode] = []
      for node in list { nodes.append(try node.replacing(value)) }
      return .list(nodes)
    case .object(let fields):
      let isMarkup = fields["isMarkup"] == .flag(true)
      var nodes: [String: TemplateNode] = [:]
      for (name, node) in fields {
        nodes[name] = try node.replacing(isMarkup: isMarkup && name == "text", value)
      }
      return .object(nodes)
    }
  }

  /// The path of a field that another node, which was made of what was read of this one, does not have; `nil` if there is none.
  func surplus(beside read: TemplateNode) -> String? {
    switch (self, read) {
    case (.list(let nodes), .list(let others)):
      for (index, (node, other)) in zip(nodes, others).enumerated() {
        if let path = node.surplus(beside: other) { return "\(index).\(path)" }
      }
    case (.object(let fields), .object(let others)):
      for (name, node) in fields.sorted(by: { $0.key < $1.key }) where node != .null {
        guard let other = others[name] else {
          // It stands for two fields.
          if name == "padding", others["horizontalPadding"] != nil { continue }
          return name
        }
        if let path = node.surplus(beside: other) { return "\(name).\(path)" }
      }
    default: break
    }
    return nil
  }

  /// Whether a text is one name and nothing else.
  private static func isName(_ text: String) -> Bool {
    text.first == "{" && text.last == "}" && !text.dropFirst().dropLast().contains { $0 == "{" || $0 == "}" }
  }

  private static func replacing(
    _ text: String, _ isMarkup: Bool, _ value: (String) -> String
  ) throws(CanvasTemplate.Failure) -> String {
    var result = ""
    var rest = Substring(text)
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      result += rest[..<brace]
      let after = rest.index(after: brace)
      if after < rest.endIndex, rest[after] == rest[brace] {
        result.append(rest[brace])
        rest = rest[rest.index(after: after)...]
        continue
      }
      guard rest[brace] == "{", let end = rest[after...].firstIndex(of: "}"), after < end else {
        throw .unreadable("a single brace in \"\(text.prefix(40))\"; {{ and }} are braces")
      }
      let filled = value(String(rest[after..<end]))
      result += isMarkup ? Label.escaped(filled) : filled
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }
}

extension TemplateNode: Decodable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([TemplateNode].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: TemplateNode].self))
    }
  }
}
