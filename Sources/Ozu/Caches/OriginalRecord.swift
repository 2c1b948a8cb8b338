import Foundation
import OzuHTTP

/// What stands beside an original on disk: the response that brought it, as the rules of HTTP need it.
///
/// JSON, so that a person can read what a cache holds. A record of an unknown version is a miss.
struct OriginalRecord: Codable {
  static let currentVersion = 2

  private var version = currentVersion
  /// Absent for what a fetcher brought.
  let response: HTTPStoredResponse?

  init(_ response: HTTPStoredResponse?) {
    self.response = response
  }

  /// Reads a record; `nil` when it is damaged or of another version.
  init?(_ data: Data) {
    guard let record = try? JSONDecoder().decode(OriginalRecord.self, from: data),
      record.version == Self.currentVersion
    else { return nil }
    self = record
  }

  var data: Data {
    get throws { try JSONEncoder().encode(self) }
  }
}
