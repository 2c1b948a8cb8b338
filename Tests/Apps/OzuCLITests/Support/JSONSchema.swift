import Foundation
import OzuTesting
import Testing

/// The part of JSON Schema (draft 2020-12) that `Documentation/ozu-output.schema.json` needs. An unknown keyword is an error
/// in the schema.
struct JSONSchema {
  private let definitions: [String: Any]
  private let root: [String: Any]

  init(_ data: Data) throws {
    root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    definitions = root["$defs"] as? [String: Any] ?? [:]
  }

  /// The errors in a value; empty when it follows the schema.
  func mistakes(_ value: Any) -> [String] { mistakes(value, root, "") }

  private func mistakes(_ value: Any, _ schema: [String: Any], _ path: String) -> [String] {
    schema.keys.sorted().flatMap { keyword -> [String] in
      let rule = schema[keyword] ?? NSNull()
      switch keyword {
      case "$schema", "$defs", "title", "description", "properties": return []
      case "$ref":
        let name = (rule as? String)?.replacingOccurrences(of: "#/$defs/", with: "") ?? ""
        guard let definition = definitions[name] as? [String: Any] else { return ["no definition \(name)"] }
        return mistakes(value, definition, path)
      case "oneOf":
        let all = (rule as? [[String: Any]] ?? []).map { mistakes(value, $0, path) }
        let count = all.count(where: \.isEmpty)
        let nearest = all.min { $0.count < $1.count } ?? []
        return count == 1 ? [] : ["\(path): \(count) of the alternatives fit; nearest: \(nearest)"]
      case "const": return Self.isEqual(value, rule) ? [] : ["\(path) is not \(rule)"]
      case "enum":
        return (rule as? [Any] ?? []).contains { Self.isEqual(value, $0) }
          ? [] : ["\(path) is none of \(rule)"]
      case "type":
        let types = rule as? [String] ?? [rule as? String ?? ""]
        return types.contains { Self.isOf(value, $0) } ? [] : ["\(path) is no \(types)"]
      case "required":
        let object = value as? [String: Any] ?? [:]
        return (rule as? [String] ?? []).filter { object[$0] == nil }.map { "\(path)/\($0) is missing" }
      case "additionalProperties":
        let known = schema["properties"] as? [String: Any] ?? [:]
        let object = value as? [String: Any] ?? [:]
        return object.keys.sorted().flatMap { key -> [String] in
          if let inner = known[key] as? [String: Any] {
            return mistakes(object[key]!, inner, "\(path)/\(key)")
          }
          if let inner = rule as? [String: Any] { return mistakes(object[key]!, inner, "\(path)/\(key)") }
          return ["\(path)/\(key) is not in the schema"]
        }
      case "items":
        let elements = value as? [Any] ?? []
        return elements.enumerated().flatMap {
          mistakes($0.element, rule as? [String: Any] ?? [:], "\(path)/\($0.offset)")
        }
      case "minimum":
        guard let number = value as? NSNumber, let least = rule as? NSNumber else { return [] }
        return number.doubleValue >= least.doubleValue ? [] : ["\(path) is below \(least)"]
      case "pattern":
        guard let text = value as? String, let pattern = rule as? String else { return [] }
        return text.range(of: pattern, options: .regularExpression) != nil
          ? [] : ["\(path) is not \(pattern)"]
      default: return ["the schema has an unknown keyword \(keyword)"]
      }
    }
  }

  private static func isEqual(_ a: Any, _ b: Any) -> Bool { (a as? NSObject) == (b as? NSObject) }

  private static func isBool(_ value: Any) -> Bool {
    (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
  }

  private static func isOf(_ value: Any, _ type: String) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "null": value is NSNull
    case "boolean": isBool(value)
    case "integer":
      !isBool(value) && (value as? NSNumber).map { $0.doubleValue == $0.doubleValue.rounded() } ?? false
    case "number": !isBool(value) && value is NSNumber
    default: false
    }
  }
}

/// The schema of the output with `--json`.
enum OutputSchema {
  static let file = Repository.url("Documentation/ozu-output.schema.json")

  /// Records an issue for each line that does not follow the schema.
  static func check(_ output: String, of arguments: [String]) {
    do {
      let schema = try JSONSchema(Data(contentsOf: file))
      for line in output.split(separator: "\n") {
        let mistakes = schema.mistakes(try JSONSerialization.jsonObject(with: Data(line.utf8)))
        #expect(mistakes.isEmpty, "\(arguments.joined(separator: " ")) printed \(line): \(mistakes)")
      }
    } catch {
      Issue.record("\(arguments.joined(separator: " ")) printed no JSON lines: \(error)")
    }
  }
}
