import Ozu
import OzuBase
import OzuHTTP

/// A request as a span of a trace, with the stages of a new picture as spans below it.
struct ServiceSpan: Sendable {
  let trace: TraceContext
  let record: ServiceLogRecord
  /// The times of the stages; `nil` if no picture was made.
  let timings: StageTimings?

  /// The longest text of an attribute; longer ones are cut.
  private static let longestText = 1024

  /// The spans as objects of OTLP in JSON (opentelemetry-proto 1.0).
  var objects: [String] {
    let end = record.date.timeIntervalSince1970
    let start = end - record.duration / .seconds(1)
    var attributes = [
      Self.attribute("http.request.method", record.method), Self.attribute("url.path", record.target),
      Self.attribute("http.response.status_code", record.status),
      Self.attribute("http.response.body.size", record.byteCount),
      Self.attribute("ozu.result", record.result),
    ]
    for (name, value) in [
      ("ozu.source", record.source), ("ozu.failure", record.failure),
      ("client.address", record.remoteAddress),
      ("ozu.request_id", record.id),
    ] {
      if let value { attributes.append(Self.attribute(name, value)) }
    }
    // A server (2). Only what the service is to blame for is an error (2).
    let own = object(
      trace.spanID, parent: trace.parentID, "\(record.method) \(record.result)", kind: 2, start: start,
      end: end,
      attributes, isError: record.status >= 500)
    return [own] + stages(from: start)
  }

  /// The stages one after the other. Their times are known, and their order; the time between two of them is not, and stands at
  /// the end of the request.
  private func stages(from start: Double) -> [String] {
    var start = start
    return (timings?.entries ?? []).filter { $0.stage != .total }.map { entry in
      let end = start + entry.duration / .seconds(1)
      defer { start = end }
      let id = RequestIdentity.digits()
      return object(
        id, parent: trace.spanID, entry.stage.rawValue, kind: 1, start: start, end: end, [], isError: false)
    }
  }

  private func object(
    _ id: String, parent: String?, _ name: String, kind: Int, start: Double, end: Double,
    _ attributes: [String], isError: Bool
  ) -> String {
    var members = ["\"traceId\":\"\(trace.traceID)\"", "\"spanId\":\"\(id)\""]
    if let parent { members.append("\"parentSpanId\":\"\(parent)\"") }
    members += [
      "\"name\":\(ServiceLogRecord.quoted(name))", "\"kind\":\(kind)",
      "\"startTimeUnixNano\":\"\(Self.nanoseconds(start))\"",
      "\"endTimeUnixNano\":\"\(Self.nanoseconds(end))\"",
      "\"attributes\":[\(attributes.joined(separator: ","))]",
    ]
    if isError { members.append("\"status\":{\"code\":2}") }
    return "{\(members.joined(separator: ","))}"
  }

  static func attribute(_ name: String, _ text: String) -> String {
    let value = ServiceLogRecord.quoted(String(text.prefix(longestText)))
    return "{\"key\":\"\(name)\",\"value\":{\"stringValue\":\(value)}}"
  }

  private static func attribute(_ name: String, _ number: Int) -> String {
    "{\"key\":\"\(name)\",\"value\":{\"intValue\":\"\(number)\"}}"
  }

  private static func nanoseconds(_ seconds: Double) -> Int {
    // A double has 200 nanoseconds of precision here: whole microseconds are what is known.
    Int(clamping: seconds * 1_000_000, rounded: .toNearestOrAwayFromZero).saturatingProduct(1000)
  }
}

/// The place of a request in a trace (`traceparent`, W3C Trace Context).
struct TraceContext: Hashable, Sendable {
  static let field = "traceparent"

  /// 32 hexadecimal digits, not all zero.
  let traceID: String
  /// The span that the request is a part of, 16 hexadecimal digits, not all zero; `nil` if the trace begins with the request.
  let parentID: String?
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
