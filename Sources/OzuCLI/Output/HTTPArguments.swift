import Foundation
import Ozu
import OzuHTTP

/// What the commands that speak HTTP share.
enum HTTPArguments {
  /// The value of `--mode`.
  static func mode(_ arguments: ParsedArguments) throws(UsageError) -> HTTPCacheMode? {
    try arguments.choice("mode", among: HTTPCacheMode.allCases.map { ($0.rawValue, $0) })
  }

  static func url(_ text: String) throws(UsageError) -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()) else {
      throw UsageError("\(text): a web address is needed", hint: "For example: https://example.com/a.jpg")
    }
    return url
  }

  /// An HTTP cache on a disk cache, or one that lasts as long as the command.
  static func cache(folder: URL?) async throws -> (HTTPCache, DiskCache?) {
    guard let folder else {
      return (HTTPCache(client: DefaultHTTPClient.shared, storage: InMemoryHTTPCacheStorage()), nil)
    }
    let disk = try await DiskCache.open(directory: folder.path(percentEncoded: false))
    return (HTTPCache(client: DefaultHTTPClient.shared, storage: DiskHTTPCacheStorage(disk)), disk)
  }
}
