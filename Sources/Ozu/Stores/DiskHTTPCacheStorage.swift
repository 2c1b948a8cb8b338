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
package struct DiskHTTPCacheStorage: HTTPCacheStorage {
  private let store: DiskStore
  private let queue = DispatchQueue(label: "ozu.responses")

  /// Makes a storage of a disk cache.
  package init(_ disk: DiskCache) {
    store = DiskStore(disk)
  }

  /// - Returns: `nil` when the level threw, which the disk cache never does: it counts and reports by itself.
  private func run<Value: Sendable>(
    _ work: @escaping @Sendable (ResponseShelf) throws -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: try? work(ResponseShelf(store: store))) }
    }
  }

  /// The variants stored under a key.
  package func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    await run { try $0.entries(for: ResponseShelf.storeKey(key)) } ?? []
  }

  /// Stores a response.
  package func store(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey
  ) async {
    await run { try $0.store(entry, replacing: old, at: ResponseShelf.place(of: key)) }
  }

  /// Gives a stored response a new head.
  package func refresh(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey
  ) async {
    await run { try $0.refresh(entry, replacing: old, at: ResponseShelf.place(of: key)) }
  }

  /// Removes every variant.
  package func removeEntries(for key: HTTPCacheKey) async {
    await run { try $0.removeEntries(for: ResponseShelf.storeKey(key)) }
  }

  /// The beginning of a body whose transfer broke off.
  package func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? {
    await run { try $0.partialBody(for: key) } ?? nil
  }

  /// Keeps the beginning of a body; `nil` removes it.
  package func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {
    await run { try $0.setPartialBody(partial, for: key) }
  }

  /// The folder of the disk cache.
  package var spoolDirectory: String? { store.spoolDirectory }
}
