import Dispatch
import OzuBase
import OzuHTTP

/// A disk cache as the storage of an `HTTPCache`, for apps that use HTTP caching without pictures.
///
/// ```swift
/// let disk = try await DiskCache.open(directory: "/var/cache/app")
/// let cache = HTTPCache(client: DefaultHTTPClient.shared, storage: DiskHTTPCacheStorage(disk))
/// ```
///
/// It uses the same partitions and keys as the originals of a pipeline. Its work runs in order on its own queue.
///
/// No secret is stored in clear text: keys are hashed; labels and URLs lose user, password, query and fragment
/// (`HTTPStoredResponse.withoutSecrets`); `Set-Cookie` and similar fields are dropped. A secret that a server puts
/// into a path, a body or a field of its own cannot be recognised, and is stored.
public struct DiskHTTPCacheStorage: HTTPCacheStorage {
  private let store: DiskStore
  private let queue = DispatchQueue(label: "ozu.responses")

  /// Makes a storage of a disk cache.
  public init(_ disk: DiskCache) {
    store = DiskStore(disk)
  }

  /// - Returns: `nil` if the store threw. The disk cache never throws here: it counts and reports its errors by
  ///   itself.
  private func run<Value: Sendable>(
    _ work: @escaping @Sendable (ResponseStore) throws -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: try? work(ResponseStore(store: store))) }
    }
  }

  /// The variants stored under a key.
  public func entries(for key: HTTPCacheKey) async -> [HTTPCacheEntry] {
    await run { try $0.entries(for: ResponseStore.storeKey(key)) } ?? []
  }

  /// Stores a response.
  public func store(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse?, for key: HTTPCacheKey
  ) async {
    await run { try $0.store(entry, replacing: old, at: ResponseStore.place(of: key)) }
  }

  /// Replaces the head of a stored response.
  public func refresh(
    _ entry: HTTPCacheEntry, replacing old: HTTPStoredResponse, for key: HTTPCacheKey
  ) async {
    await run { try $0.refresh(entry, replacing: old, at: ResponseStore.place(of: key)) }
  }

  /// Removes every variant.
  public func removeEntries(for key: HTTPCacheKey) async {
    await run { try $0.removeEntries(for: ResponseStore.storeKey(key)) }
  }

  /// The beginning of a body whose transfer was interrupted.
  public func partialBody(for key: HTTPCacheKey) async -> HTTPPartialBody? {
    await run { try $0.partialBody(for: key) } ?? nil
  }

  /// Stores the beginning of a body; `nil` removes it.
  public func setPartialBody(_ partial: HTTPPartialBody?, for key: HTTPCacheKey) async {
    await run { try $0.setPartialBody(partial, for: key) }
  }

  /// The folder of the disk cache.
  public var spoolDirectory: String? { store.spoolDirectory }
}
