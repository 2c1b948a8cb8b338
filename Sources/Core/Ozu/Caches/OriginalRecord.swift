import OzuBase
import OzuHTTP

/// The metadata of a stored original: the response that brought it, with the fields that HTTP caching needs.
///
/// A record of an unknown version is a miss. It contains no secret in clear text, because it is made from
/// `withoutSecrets`.
struct OriginalRecord {
  static let currentVersion = 4

  /// `nil` for the original of a fetcher.
  let response: HTTPStoredResponse?

  /// The record of a fetcher's original.
  init() { response = nil }

  /// The record of a response; `nil` if the response must not be written to disk.
  init?(_ response: HTTPStoredResponse) {
    guard let response = response.withoutSecrets else { return nil }
    self.response = response
  }

  private init(read response: HTTPStoredResponse?) { self.response = response }

  /// Reads a record; `nil` when it is damaged or of another version.
  init?(_ data: Data) {
    let record = FieldReader.record(data, version: Self.currentVersion) {
      (reader) throws(FieldReader.Damage) in
      OriginalRecord(
        read: try reader.optional { (reader) throws(FieldReader.Damage) in
          try HTTPStoredResponse(from: &reader)
        })
    }
    guard let record else { return nil }
    self = record
  }

  var data: Data {
    var writer = FieldWriter()
    writer.append(Self.currentVersion)
    writer.append(response) { $1.write(to: &$0) }
    return writer.data
  }
}

extension HTTPStoredResponse {
  fileprivate func write(to writer: inout FieldWriter) {
    writer.append(status)
    writer.append(url.absoluteString)
    writer.append(urlDigest) { $0.append($1) }
    writer.append(requestDate)
    writer.append(responseDate)
    writer.append(redirectsFreshUntil) { $0.append($1) }
    writer.append(bodyIdentity)
    for fields in [headers, selectingHeaders] {
      writer.append(fields) { writer, field in
        writer.append(field.name)
        writer.append(field.value)
      }
    }
  }

  fileprivate init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    func fields() throws(FieldReader.Damage) -> HTTPHeaders {
      HTTPHeaders(
        try reader.list { (reader) throws(FieldReader.Damage) in
          HTTPHeaders.Field(name: try reader.text(), value: try reader.text())
        })
    }
    let status = try reader.integer()
    guard let url = URL(string: try reader.text()) else { throw FieldReader.Damage() }
    let urlDigest = try reader.optional { (reader) throws(FieldReader.Damage) in try reader.text() }
    self.init(
      status: status, headers: [:], url: url, requestDate: try reader.date(),
      responseDate: try reader.date(),
      redirectsFreshUntil: try reader.optional { (reader) throws(FieldReader.Damage) in try reader.date() },
      bodyIdentity: try reader.text())
    self.urlDigest = urlDigest
    headers = try fields()
    selectingHeaders = try fields()
    guard flaw == nil else { throw FieldReader.Damage() }
  }
}
