import Dispatch
import OzuHTTP

/// A disk cache as the storage of an `HTTPCache`, for those who want its rules without pictures.
///
/// ```swift
/// let disk = try await DiskCache.open(directory: "/var/cache/app")
/// let cache = HTTPCache(client: DefaultHTTPClient.shared, storage: DiskHTTPCacheStorage(disk))
/// ```
///
/// It uses the partitions in which a pipeline keeps its originals, under the same keys. What it does runs on a
/// queue of its own, in order.
///
/// No secret is written down in clear: keys are hashed, labels and URLs lose user, password, query and fragment
/// (`HTTPStoredResponse.withoutSecrets`), `Set-Cookie` and the like are dropped. What a server puts into a path, a body or
/// a field of its own cannot be told from a secret, and is written as it is.
public struct DiskHTTPCacheStorage: HTTPCacheStorage {
  private let shelf: ResponseShelf
  private let queue = DispatchQueue(label: "ozu.responses")

  /// Makes a storage of a disk cache.
  public init(_ disk: DiskCache) {
    shelf = ResponseShelf(disk: disk)
  }

  private func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }

  /// The variants stored under a key.
  public func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    await run { [shelf] in shelf.entries(for: ResponseShelf.diskKey(key)) }
  }

  /// Stores a response.
  public func store(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey
  ) async {
    await run { [shelf] in
      shelf.store(entry, replacing: old, for: ResponseShelf.diskKey(key), source: key.resource)
    }
  }

  /// Gives a stored response a new head.
  public func refresh(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey
  ) async {
    await run { [shelf] in
      shelf.refresh(entry, replacing: old, for: ResponseShelf.diskKey(key), source: key.resource)
    }
  }

  /// Removes every variant.
  public func removeEntries(for key: HTTPCacheKey) async {
    await run { [shelf] in shelf.removeEntries(for: ResponseShelf.diskKey(key)) }
  }

  /// The beginning of a body whose transfer broke off.
  public func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? {
    await run { [shelf] in shelf.partialBody(for: ResponseShelf.diskKey(key)) }
  }

  /// Keeps the beginning of a body; `nil` removes it.
  public func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {
    await run { [shelf] in
      shelf.setPartialBody(partial, for: ResponseShelf.diskKey(key), source: key.resource)
    }
  }

  /// The folder of the disk cache.
  public var spoolDirectory: String? { shelf.disk.directory }
}
