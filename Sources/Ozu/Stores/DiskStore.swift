import Foundation
import OzuHTTP

/// The disk cache as a level of storage: opened by the first thread that needs it, with a partition for each kind.
///
/// The disk cache counts and reports its own troubles (`Configuration.Caching.onDiskError`), so nothing here throws. Until it is
/// open it may contain everything; when it cannot be opened, nothing.
final class DiskStore: ImageStoring {
  /// What beginnings of broken transfers may take.
  private static let partialsCapacity = 64 << 20
  /// For the pictures of some ten thousand sources.
  private static let relativesCapacity = 2 << 20

  private let opening: DiskOpening
  private let onError: @Sendable (DiskCacheError) -> Void

  /// Opens nothing yet.
  init(_ storage: DiskStorage, onError: @escaping @Sendable (DiskCacheError) -> Void) {
    self.onError = onError
    opening = DiskOpening(storage, onError: onError) { cache in
      cache.setCapacity(Self.partialsCapacity, of: ImageStoreKind.partial.partition)
      cache.setCapacity(Self.relativesCapacity, of: ImageStoreKind.relatives.partition)
    }
  }

  /// A level of a disk cache that is open, with the capacities that it has.
  init(_ cache: DiskCache) {
    onError = { _ in }
    opening = DiskOpening(cache)
  }

  /// The disk cache, opened now if it was not; `nil` without one. Blocks while it is opened.
  var cache: DiskCache? { opening.cache }

  var name: String { "disk" }

  func mayContain(_ key: ImageStoreKey) -> Bool {
    switch opening.atHand {
    case .unknown: true
    case .none: false
    case .open(let cache): cache.mayContain(key.key, in: key.kind.partition)
    }
  }

  func read(_ key: ImageStoreKey) -> ImageStoreEntry? {
    cache?.fetch(key.key, in: key.kind.partition).map {
      ImageStoreEntry(metadata: $0.metadata, body: $0.body)
    }
  }

  func peek(_ key: ImageStoreKey) -> ImageStoreEntry? {
    guard let cache, let metadata = cache.metadata(forKey: key.key, in: key.kind.partition),
      let body = cache.peek(key.key, in: key.kind.partition)
    else { return nil }
    return ImageStoreEntry(metadata: metadata, body: body)
  }

  func contains(_ key: ImageStoreKey) -> Bool {
    cache?.contains(key.key, in: key.kind.partition) ?? false
  }

  func metadata(of key: ImageStoreKey) -> Data? {
    cache?.metadata(forKey: key.key, in: key.kind.partition)
  }

  func updateMetadata(_ metadata: Data, of key: ImageStoreKey) -> Bool {
    cache?.updateMetadata(metadata, forKey: key.key, in: key.kind.partition) ?? false
  }

  func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) {
    cache?.store(
      entry.body, metadata: entry.metadata, forKey: key.key, in: key.kind.partition, label: key.label)
  }

  func touch(_ key: ImageStoreKey) -> Bool { cache?.touch(key.key, in: key.kind.partition) ?? false }

  func remove(_ key: ImageStoreKey) { cache?.remove(forKey: key.key, in: key.kind.partition) }

  func removeAll(of kind: ImageStoreKind) { try? cache?.removeAll(in: kind.partition) }

  /// What keeps a cache from being emptied is reported also where it is no trouble for anything else: another process
  /// writes to it.
  func removeAll() {
    do throws(DiskCacheError) { try cache?.removeAll() } catch { onError(error) }
    if let cache { HTTPSpoolingConfiguration.removeBeginnings(in: cache.directory) }
  }

  func entries(of kind: ImageStoreKind?) -> any Sequence<ImageStoreInfo> & Sendable {
    guard let cache else { return [ImageStoreInfo]() }
    return Listing(entries: kind.map { cache.entries(in: $0.partition) } ?? cache.entries())
  }

  /// Zero lifts the limit of the kind.
  func setCapacity(_ byteCount: Int, of kind: ImageStoreKind) {
    cache?.setCapacity(byteCount, of: kind.partition)
  }

  func byteCount(of kind: ImageStoreKind) -> Int { cache?.byteCount(of: kind.partition) ?? 0 }

  var evictionCounts: [ImageStoreKind: Int] {
    guard case .open(let cache) = opening.atHand else { return [:] }
    let counts = cache.evictionCounts.map { (ImageStoreKind($0.key.name), $0.value) }
    return Dictionary(uniqueKeysWithValues: counts)
  }

  func flush() { try? cache?.flush() }

  var spoolDirectory: String? { cache?.directory }

  /// The entries as the iteration comes to them.
  private struct Listing: Sequence, Sendable {
    let entries: DiskCache.Entries

    struct Iterator: IteratorProtocol {
      var entries: DiskCache.Entries.Iterator

      mutating func next() -> ImageStoreInfo? {
        entries.next().map { info in
          ImageStoreInfo(
            key: ImageStoreKey(ImageStoreKind(info.partition.name), info.key, label: info.label),
            accessDate: info.accessDate)
        }
      }
    }

    func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }
  }
}

extension ImageStoreKind {
  /// Where the disk cache keeps entries of the kind.
  fileprivate var partition: DiskCache.Partition { DiskCache.Partition(name) }
}

extension StoreChain {
  /// The levels that a configuration asks for: the disk, then those of the app.
  convenience init(_ configuration: ImagePipeline.Configuration) {
    var stores = configuration.caching.stores
    if case .none = configuration.caching.diskStorage {
    } else {
      stores.insert(
        DiskStore(configuration.caching.diskStorage, onError: configuration.caching.onDiskError), at: 0)
    }
    let levels = stores.map { StoreLevel($0, onError: configuration.caching.onStoreError) }
    self.init(
      first: levels.first,
      further: levels.dropFirst().map { FurtherLevel($0, readLimit: configuration.caching.storeReadLimit) })
  }

  /// The disk cache, opened now if it was not; `nil` without one. Blocks while it is opened.
  var disk: DiskCache? { (first?.store as? DiskStore)?.cache }
}
