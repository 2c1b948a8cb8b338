import Foundation
import OzuHTTP

/// What stands beside an original on disk: the head of the response that brought it.
struct OriginalRecord: Codable {
  static let currentVersion = 1

  var version = currentVersion
  /// The URL that answered, after redirects; absent for what a fetcher brought.
  let url: String?
  let status: Int?
  /// Names and values in their order.
  let headers: [[String]]

  init(_ head: HTTPResponseHead?) {
    url = head?.url.absoluteString
    status = head?.status
    headers = head.map { $0.headers.map { [$0.name, $0.value] } } ?? []
  }

  var data: Data {
    get throws { try JSONEncoder().encode(self) }
  }
}
