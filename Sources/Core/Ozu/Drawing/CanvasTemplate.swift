import OzuBase
import OzuImaging

/// The JSON of a canvas with names in its texts, which are replaced by values: one design for many cards.
///
/// ```swift
/// let template = try CanvasTemplate(Data(contentsOf: file))
/// let card = try template.canvas(["title": "Every picture is decoded once"])
/// ```
///
/// `{title}` in a text is such a name; `{{` and `}}` are braces. A value is never read as JSON, and as markup only characters:
/// whatever it contains, it is a part of that text alone.
public struct CanvasTemplate: Hashable, Sendable {
  /// Why a template cannot be used.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not the JSON of a canvas, for this reason.
    case unreadable(String)
    /// Values for these names are missing.
    case missing([String])
    /// It does not have these names.
    case unknown([String])

    /// The failure in one line, to show to people.
    public var description: String {
      switch self {
      case .unreadable(let reason): "the template cannot be read: \(reason)"
      case .missing(let names): "the template needs a value for \(names.joined(separator: ", "))"
      case .unknown(let names): "the template has no \(names.joined(separator: ", "))"
      }
    }
  }

  private let root: Node
  /// The names, sorted.
  public let names: [String]

  /// Reads a template.
  ///
  /// - Throws: `unreadable` if it is not JSON, or if it is no canvas, whatever the values are.
  public init(_ json: Data) throws(Failure) {
    do {
      root = try JSONDecoder().decode(Node.self, from: json)
    } catch {
      throw .unreadable("it is no JSON")
    }
    var found: Set<String> = []
    _ = try root.replacing { name in
      found.insert(name)
      return ""
    }
    names = found.sorted()
    // Values may be colours or sources, so that a canvas with empty ones need not be possible.
    if found.isEmpty { _ = try Self.canvas(root) }
  }

  /// The canvas with values in the places of the names.
  ///
  /// - Throws: `missing`, `unknown`; `unreadable` if a value makes no sense where it stands, such as a colour, and for a field
  ///   that no canvas has.
  public func canvas(_ values: [String: String]) throws(Failure) -> Canvas {
    let missing = names.filter { values[$0] == nil }
    if !missing.isEmpty { throw .missing(missing) }
    let unknown = values.keys.filter { !names.contains($0) }.sorted()
    if !unknown.isEmpty { throw .unknown(unknown) }
    return try Self.canvas(root.replacing { values[$0] ?? "" })
  }

  private static func canvas(_ node: Node) throws(Failure) -> Canvas {
    do {
      let canvas = try JSONDecoder().decode(Canvas.self, from: JSONEncoder().encode(node))
      // Nothing that was written is ignored in silence: a wrong name would be looked for in the picture.
      let read = try JSONDecoder().decode(Node.self, from: JSONEncoder().encode(canvas))
      if let field = node.surplus(beside: read) {
        throw Failure.unreadable("\(field) is not read: is its name right?")
      }
      return canvas
    } catch let failure as Failure {
      throw failure
    } catch let error as DecodingError {
      throw .unreadable(error.inWords)
    } catch {
      throw .unreadable("it is no canvas")
    }
  }
}

extension CanvasTemplate {
  /// A value of JSON.
  private enum Node: Hashable, Sendable, Codable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([Node])
    case object([String: Node])

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
      } else if let list = try? value.decode([Node].self) {
        self = .list(list)
      } else {
        self = .object(try value.decode([String: Node].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .null: try value.encodeNil()
      case .flag(let flag): try value.encode(flag)
      case .number(let number): try value.encode(number)
      case .text(let text): try value.encode(text)
      case .list(let list): try value.encode(list)
      case .object(let fields): try value.encode(fields)
      }
    }

    /// The same with the names in its texts replaced.
    func replacing(isMarkup: Bool = false, _ value: (String) -> String) throws(Failure) -> Node {
      switch self {
      case .null, .flag, .number: return self
      case .text(let text): return .text(try Self.replacing(text, isMarkup, value))
      case .list(let list):
        var nodes: [Node] = []
        for node in list { nodes.append(try node.replacing(value)) }
        return .list(nodes)
      case .object(let fields):
        let isMarkup = fields["isMarkup"] == .flag(true)
        var nodes: [String: Node] = [:]
        for (name, node) in fields {
          nodes[name] = try node.replacing(isMarkup: isMarkup && name == "text", value)
        }
        return .object(nodes)
      }
    }

    /// The path of a field that another node, which was made of what was read of this one, does not have; `nil` if there is none.
    func surplus(beside read: Node) -> String? {
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

    private static func replacing(
      _ text: String, _ isMarkup: Bool, _ value: (String) -> String
    ) throws(Failure) -> String {
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
}

extension DecodingError {
  /// The place and the reason in one line: `elements.2.label.size: a number is needed`.
  fileprivate var inWords: String {
    let context: Context?
    let reason: String
    switch self {
    case .typeMismatch(let type, let found) where type is Double.Type || type is Int.Type:
      (context, reason) = (found, "a number is needed")
    case .typeMismatch(let type, let found) where type is String.Type:
      (context, reason) = (found, "a text is needed")
    case .dataCorrupted(let found) where found.codingPath.isEmpty:
      // It is JSON: it was read before. The decoder says this of numbers that do not fit.
      (context, reason) = (found, "a number is too large, or is not whole")
    case .typeMismatch(_, let found), .dataCorrupted(let found):
      (context, reason) = (found, found.debugDescription)
    case .valueNotFound(_, let found): (context, reason) = (found, "a value is missing")
    case .keyNotFound(let key, let found): (context, reason) = (found, "it needs \"\(key.stringValue)\"")
    @unknown default: (context, reason) = (nil, "it cannot be read")
    }
    let path = context?.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } ?? []
    return path.isEmpty ? reason : path.joined(separator: ".") + ": " + reason
  }
}
