import Ozu
import OzuBase

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
