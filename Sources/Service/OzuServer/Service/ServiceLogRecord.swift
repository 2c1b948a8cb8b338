import OzuBase
import OzuHTTP

/// A request and its answer, for a log.
public struct ServiceLogRecord: Sendable {
  /// The date of the answer.
  public let date: Date
  /// The method.
  public let method: String
  /// The requested path and query, without the login of an address in it.
  public let target: String
  /// The status of the answer.
  public let status: Int
  /// The origin of the answer: `memory`, `store`, `made`, `unchanged`, `refused`, `failed` or `service`.
  public let result: String
  /// The number of bytes of the body; 0 for HEAD.
  public let byteCount: Int
  /// The time from the request to the answer.
  public let duration: Duration
  /// The source without secrets; `nil` if none was found.
  public let source: String?
  /// The complete description of the failure; `nil` if there was none.
  public let failure: String?
  /// What is not as it should be in the picture, such as a file that is cut off or a text with a character that no font has; only
  /// where the picture was made for this request.
  public let notes: [String]
  /// The client's address; `nil` if it is unknown.
  public let remoteAddress: String?
  /// The trace of the request (`traceparent`, W3C Trace Context): 32 hexadecimal digits; `nil` without one.
  public let traceID: String?
  /// The number of the request, which the answer has in `X-Request-Id`: the one that it came with, or a new one.
  public let id: String?

  init(
    _ request: ServiceRequest, _ answer: ServiceAnswer, byteCount: Int, id: String?, duration: Duration,
    date: Date
  ) {
    self.date = date
    method = request.method
    target = Self.withoutLogins(request.target)
    status = answer.response.status
    result = answer.kind.rawValue
    self.byteCount = byteCount
    self.duration = duration
    source = answer.source
    failure = answer.failure
    notes = answer.notes
    remoteAddress = request.remoteAddress
    traceID = (request.trace ?? TraceContext(request.headers))?.traceID
    self.id = id
  }

  /// The record as one line of JSON, with times in seconds.
  public var jsonLine: String {
    var members = [
      ("time", Self.quoted(time)), ("method", Self.quoted(method)), ("target", Self.quoted(target)),
      ("status", "\(status)"), ("result", Self.quoted(result)), ("bytes", "\(byteCount)"),
      ("seconds", "\((duration / .milliseconds(1)).rounded(.up) / 1000)"),
    ]
    for (name, value) in known { members.append((name, Self.quoted(value))) }
    if !notes.isEmpty {
      members.append(("notes", "[" + notes.map(Self.quoted).joined(separator: ", ") + "]"))
    }
    return "{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }

  /// The record as one line for people: the time, the request, the answer, and what else is known, as `name=value`.
  public var textLine: String {
    let milliseconds = Int(clamping: (duration / .milliseconds(1)).rounded(.up))
    var line =
      "\(time) \(status) \(result) \(PrintableText.escaped(method)) \(PrintableText.escaped(target)) \(byteCount) bytes \(milliseconds) ms"
    for (name, value) in known + notes.map({ ("note", $0) }) {
      line += " \(name)=\(value.contains(" ") ? Self.quoted(value) : PrintableText.escaped(value))"
    }
    return line
  }

  /// The texts that not every record has.
  private var known: [(String, String)] {
    let all: [(String, String?)] = [
      ("source", source), ("failure", failure), ("remote", remoteAddress), ("trace", traceID), ("id", id),
    ]
    return all.compactMap { name, value in value.map { (name, $0) } }
  }

  /// The date in UTC, which it says: without a zone, programs that read logs take it for the time of their place.
  private var time: String {
    date.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) + "Z"
  }

  /// A target without the user and the password of an address in it, which are before the last `@` between `//` and the next slash.
  /// No such address is asked, but a mistaken one must not stand in the log.
  ///
  /// By bytes: a regular expression took 4 ms for 8 KB of a stranger, on the thread of all connections.
  ///
  /// - Complexity: O(bytes).
  private static func withoutLogins(_ target: String) -> String {
    guard target.utf8.contains(UInt8(ascii: "@")) || target.utf8.contains(UInt8(ascii: "%")) else {
      return target
    }
    let bytes = Array(target.utf8)
    var shown: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let colon = length(of: ":", at: place, in: bytes)
      shown += bytes[place..<place + max(1, colon)]
      place += max(1, colon)
      // A proxy may have made one slash of two.
      let slash = colon == 0 ? 0 : length(of: "/", at: place, in: bytes)
      guard slash > 0 else { continue }
      let slashes = slash + length(of: "/", at: place + slash, in: bytes)
      shown += bytes[place..<place + slashes]
      place += slashes
      var (end, login) = (place, place)
      while end < bytes.count, length(of: "/", at: end, in: bytes) == 0 {
        let at = length(of: "@", at: end, in: bytes)
        end += max(1, at)
        if at > 0 { login = end }
      }
      if login > place { shown += "…@".utf8 }
      place = login
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// The number of bytes of a character at an index: 1, or 3 for its escape; 0 for another one.
  private static func length(of character: Unicode.Scalar, at index: Int, in bytes: [UInt8]) -> Int {
    guard index < bytes.count else { return 0 }
    let byte = UInt8(ascii: character)
    if bytes[index] == byte { return 1 }
    guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count else { return 0 }
    // A text for each escape would take as long as the regular expression. The bit 0x20 makes letters small, and is set in digits.
    let (high, low) = (byte >> 4, byte & 15)
    let last = low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + (low - 10)
    return bytes[index + 1] == UInt8(ascii: "0") + high && bytes[index + 2] | 0x20 == last ? 3 : 0
  }

  /// A JSON string. Control characters are escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
