import Foundation
import OzuBase

/// JSON text from plain values, with the members in the order in which they were given.
enum JSON {
  case object([(String, JSON)])
  case array([JSON])
  case string(String)
  /// Bytes as text in base64.
  case base64(Data)
  case integer(Int)
  case number(Double)
  case bool(Bool)
  case null
  /// Text that is JSON already.
  case verbatim(String)

  /// The version of what commands print with `--json`: it rises when a member goes or changes its meaning. New ones may
  /// come within a version.
  static let version = 1

  /// An object that a command prints, of a kind that `Documentation/ozu-output.schema.json` describes.
  static func report(_ kind: String, _ members: [(String, JSON)]) -> JSON {
    .object(heading(kind) + members)
  }

  /// The members that tell the version and the kind of an object.
  static func heading(_ kind: String) -> [(String, JSON)] {
    [("version", .integer(version)), ("kind", .string(kind))]
  }

  /// A number with all its digits, where the three after the point of `number` are too few.
  static func exact(_ number: Double) -> JSON { number.isFinite ? .verbatim("\(number)") : .null }

  /// The text, on one line.
  var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text in UTF-8.
  func write(to bytes: inout [UInt8]) {
    switch self {
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes += ", ".utf8 }
        Self.quote(member.0, to: &bytes)
        bytes += ": ".utf8
        member.1.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes += ", ".utf8 }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .string(let string): Self.quote(string, to: &bytes)
    case .base64(let data):
      bytes.append(UInt8(ascii: "\""))
      bytes += data.base64EncodedData()
      bytes.append(UInt8(ascii: "\""))
    case .integer(let integer): bytes += String(integer).utf8
    case .number(let number): bytes += (number.isFinite ? String(Self.rounded(number)) : "null").utf8
    case .bool(let bool): bytes += (bool ? "true" : "false").utf8
    case .null: bytes += "null".utf8
    case .verbatim(let text): bytes += text.utf8
    }
  }

  /// Rounds to three digits after the point; the clocks are not more exact.
  private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

  /// Appends a text in quotation marks. Control characters are escaped, even if the output is not a terminal.
  private static func quote(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    var string = string
    let first = bytes.count
    string.withUTF8 { text in
      // The text between two characters that need an escape is copied in one piece.
      var start = 0
      for index in text.indices {
        guard let escape = escape(text[index]) else { continue }
        bytes += text[start..<index]
        bytes += escape.utf8
        start = index + 1
      }
      bytes += text[start...]
    }
    if !string.utf8.allSatisfy({ $0 < 0x7F }) {
      let quoted = PrintableText.escaped(String(decoding: bytes[first...], as: UTF8.self))
      bytes.replaceSubrange(first..., with: quoted.utf8)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "\""): "\\\""
    case UInt8(ascii: "\\"): "\\\\"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    case 0x09: "\\t"
    case ..<0x20: "\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    default: nil
    }
  }
}
