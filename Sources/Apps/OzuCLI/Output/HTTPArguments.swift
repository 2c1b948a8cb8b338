import Foundation
import Ozu
import OzuHTTP

/// The arguments and the cache that the HTTP commands share.
enum HTTPArguments {
  /// The value of `--mode`.
  static func mode(_ arguments: ParsedArguments) throws(UsageError) -> HTTPCacheMode? {
    try arguments.choice("mode", among: HTTPCacheMode.allCases.map { ($0.rawValue, $0) })
  }

  /// The values of `--mode`, for completions.
  static let modeKind = ArgumentKind.words(HTTPCacheMode.allCases.map(\.rawValue))

  static func url(_ text: String) throws(UsageError) -> URL {
    guard let url = URL(webAddress: text), ["http", "https"].contains(url.scheme?.lowercased()) else {
      throw UsageError(
        "\(SourceArgument.shown(text)): a web address is needed",
        hint: "For example: https://example.com/a.jpg")
    }
    return url
  }

  /// The capacity of a cache in memory that lasts as long as the command.
  private static let memoryByteCount = 4 << 20

  /// An HTTP cache on a disk cache, or one that lasts as long as the command.
  static func cache(
    folder: URL?, client: any HTTPClient, configuration: HTTPCacheConfiguration
  ) async throws -> (HTTPCache, DiskCache?) {
    let disk: DiskCache? =
      if let folder { try await DiskCache.open(directory: folder.path(percentEncoded: false)) } else { nil }
    let storage: any HTTPCacheStorage =
      disk.map(DiskHTTPCacheStorage.init) ?? InMemoryHTTPCacheStorage(byteLimit: memoryByteCount)
    let cache = HTTPCache(client: client, storage: storage, configuration: configuration)
    return (cache, disk)
  }
}
