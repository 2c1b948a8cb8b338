import OzuBase
import OzuImaging

/// The JSON of a canvas with names in the places of texts and numbers, which are replaced by values: one design for many cards.
///
/// ```swift
/// let template = try CanvasTemplate(Data(contentsOf: file))
/// let card = try template.canvas(["title": "Every picture is decoded once"])
/// ```
///
/// `{title}` in a text is such a name; `{{` and `}}` are braces. A value is never read as JSON, and as markup only characters:
/// whatever it contains, it is a part of that text alone. Where a number stands, such as a size, a place or an opacity, a text
/// that is one name and nothing else takes its place: `"x": "{left}"`. Its value is digits with a sign, a point and an exponent
/// at most.
public struct CanvasTemplate: Hashable, Sendable {
  /// Why a template cannot be used.
  public enum Failure: DescribedError, Hashable, Sendable {
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

  private let root: TemplateNode
  /// The names, sorted.
  public let names: [String]

  /// Reads a template.
  ///
  /// - Throws: `unreadable` if it is not JSON, or if it is no canvas, whatever the values are.
  public init(_ json: Data) throws(Failure) {
    do {
      root = try JSONDecoder().decode(TemplateNode.self, from: json)
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
  /// - Throws: `missing`, `unknown`; `unreadable` if a value makes no sense where it stands, such as a word for a colour or a
  ///   number, and for a field that no canvas has; it has the path.
  public func canvas(_ values: [String: String]) throws(Failure) -> Canvas {
    let missing = names.filter { values[$0] == nil }
    if !missing.isEmpty { throw .missing(missing) }
    let unknown = values.keys.filter { !names.contains($0) }.sorted()
    if !unknown.isEmpty { throw .unknown(unknown) }
    return try Self.canvas(root.replacing { values[$0] ?? "" })
  }

  private static func canvas(_ node: TemplateNode) throws(Failure) -> Canvas {
    do {
      let canvas = try Canvas(from: TemplateDecoder(node))
      // Nothing that was written is ignored in silence: a wrong name would be looked for in the picture.
      let read = try JSONDecoder().decode(TemplateNode.self, from: JSONEncoder().encode(canvas))
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

extension DecodingError {
  /// The place and the reason in one line: `elements.2.label.size: a number is needed`.
  fileprivate var inWords: String {
    switch self {
    case .typeMismatch(_, let found), .dataCorrupted(let found), .valueNotFound(_, let found),
      .keyNotFound(_, let found):
      let path = found.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
      let reason = found.debugDescription
      return path.isEmpty ? reason : path.joined(separator: ".") + ": " + reason
    @unknown default: return "it cannot be read"
    }
  }
}
