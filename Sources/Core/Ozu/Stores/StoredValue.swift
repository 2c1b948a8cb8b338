import OzuBase
import OzuHTTP

/// A value that is read, written and promoted as a whole: an entry, or the variants of an original with their
/// entries.
protocol StoredValue: Sendable {
  var byteCount: Int { get }
  static func read(_ key: ImageStoreKey, from store: any ImageStoring) throws -> Self?
  static func remove(_ key: ImageStoreKey, from store: any ImageStoring) throws
  func write(to store: any ImageStoring, for key: ImageStoreKey) throws
}

extension ImageStoreEntry: StoredValue {
  static func read(_ key: ImageStoreKey, from store: any ImageStoring) throws -> ImageStoreEntry? {
    try store.read(key)
  }

  static func remove(_ key: ImageStoreKey, from store: any ImageStoring) throws { try store.remove(key) }

  func write(to store: any ImageStoring, for key: ImageStoreKey) throws { try store.write(self, for: key) }
}

/// The responses of an original, one for each variant. Not empty if read from a store.
struct StoredVariants: StoredValue {
  var entries: [HTTPCacheEntry]

  var byteCount: Int { entries.reduce(0) { $0 + $1.body.count } }

  static func read(_ key: ImageStoreKey, from store: any ImageStoring) throws -> StoredVariants? {
    let entries = try ResponseStore(store: store).entries(for: key.key)
    return entries.isEmpty ? nil : StoredVariants(entries: entries)
  }

  static func remove(_ key: ImageStoreKey, from store: any ImageStoring) throws {
    try ResponseStore(store: store).removeEntries(for: key.key)
  }

  func write(to store: any ImageStoring, for key: ImageStoreKey) throws {
    for entry in entries {
      try ResponseStore(store: store).store(entry, replacing: nil, at: key)
    }
  }
}
