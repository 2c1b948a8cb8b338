import OzuBase
import OzuHTTP

/// What ties the lines of logs and traces about one request together.
enum RequestIdentity {
  static let field = "X-Request-Id"

  /// Different in every process, so that numbers of two machines are different.
  private static let process = digits()
  private static let last = Atomic(0)

  /// The number that a request came with, if it is one; `nil` else.
  static func number(of request: ServiceRequest) -> String? {
    request.headers.first(field).flatMap { isNumber($0) ? $0 : nil }
  }

  /// A number that no other request has.
  static func next() -> String {
    "\(process)-\(String(last.add(1, ordering: .relaxed).newValue, radix: 16))"
  }

  /// The last address in `X-Forwarded-For`, which the nearest proxy has written; `nil` without one.
  static func forwardedAddress(of request: ServiceRequest) -> String? {
    guard let last = request.headers.values(for: "X-Forwarded-For").last?.split(separator: ",").last else {
      return nil
    }
    let address = last.drop { $0 == " " }
    let isAddress =
      (2...45).contains(address.utf8.count)
      && address.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || ":.".utf8.contains($0)
      }
    return isAddress ? String(address) : nil
  }

  /// Whether a text can stand in a field and in a log: up to 128 letters, digits and a few marks.
  private static func isNumber(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-_.:/+=~".utf8.contains($0)
      }
  }

  /// 16 random hexadecimal digits, not all of them 0.
  static func digits() -> String { UInt64.random(in: 1...UInt64.max).bigEndianBytes(8).hexadecimal }
}
