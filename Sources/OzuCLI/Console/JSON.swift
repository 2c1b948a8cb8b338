import Foundation

/// JSON text from plain values, with the members in the order in which they were given.
enum JSON {
  case object([(String, JSON)])
  case array([JSON])
  case string(String)
  case integer(Int)
  case number(Double)
  case bool(Bool)
  case null
  /// Text that is JSON already.
  case verbatim(String)

  /// The text, on one line.
  var text: String {
    switch self {
    case .object(let members):
      "{" + members.map { "\(Self.quoted($0.0)): \($0.1.text)" }.joined(separator: ", ") + "}"
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ", ") + "]"
    case .string(let string): Self.quoted(string)
    case .integer(let integer): String(integer)
    case .number(let number): number.isFinite ? String(Self.rounded(number)) : "null"
    case .bool(let bool): bool ? "true" : "false"
    case .null: "null"
    case .verbatim(let text): text
    }
  }

  /// Three digits behind the point are what the clocks are good for.
  private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

  private static func quoted(_ string: String) -> String {
    var result = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20: result += String(format: "\\u%04x", scalar.value)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
