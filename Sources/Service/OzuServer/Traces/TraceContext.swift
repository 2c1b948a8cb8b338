import OzuHTTP

/// The place of a request in a trace (`traceparent`, W3C Trace Context).
struct TraceContext: Hashable, Sendable {
  static let field = "traceparent"

  /// 32 hexadecimal digits, not all zero.
  let traceID: String
  /// The span that the request is a part of, 16 hexadecimal digits, not all zero; `nil` if the trace begins with the request.
  let parentID: String?
  /// The span of the request itself.
  let spanID = RequestIdentity.digits()
  /// Two hexadecimal digits.
  private let flags: String

  /// Whether somebody wants its spans.
  var isSampled: Bool { flags.last?.hexDigitValue.map { $0 & 1 == 1 } ?? false }

  init() {
    traceID = (0..<2).map { _ in RequestIdentity.digits() }.joined()
    (parentID, flags) = (nil, "01")
  }

  /// Reads the field of a request; `nil` if it has not the form of the standard.
  init?(_ headers: HTTPHeaders) {
    guard let field = headers.first(Self.field) else { return nil }
    let parts = field.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff", parts[1].utf8.count == 32,
      parts[2].utf8.count == 16, parts[3].utf8.count == 2,
      parts[0...3].allSatisfy({
        $0.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
      }),
      parts[1...2].allSatisfy({ $0.contains { $0 != "0" } })
    else { return nil }
    (traceID, parentID, flags) = (String(parts[1]), String(parts[2]), String(parts[3]))
  }

  /// The field of a request to an origin, which is a part of this one.
  var continued: String { "00-\(traceID)-\(spanID)-\(flags)" }
}

extension ImageService.Configuration {
  /// The trace that a request is a part of; `nil` if the settings ask for none. With a collector, requests begin one.
  func trace(of request: ServiceRequest) -> TraceContext? {
    guard continuesTraces || spans != nil else { return nil }
    if let trace = TraceContext(request.headers) { return trace }
    guard let spans, spans.share >= 1 || .random(in: 0..<1) < spans.share else { return nil }
    return TraceContext()
  }
}
