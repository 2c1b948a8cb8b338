import Foundation
import OzuHTTP

/// What is read, written and promoted as one: an entry, or the variants of an original with theirs.
protocol StoredValue: Sendable {
  var byteCount: Int { get }
  /// What a level has under a key.
  static func read(_ key: ImageStoreKey, from store: any ImageStoring) throws -> Self?
  /// The same from a level that may be far away.
  static func readFurther(_ key: ImageStoreKey, from store: any ImageStoring) throws -> Self?
  /// Removes what a level has under a key.
  static func remove(_ key: ImageStoreKey, from store: any ImageStoring) throws
  func write(to store: any ImageStoring, for key: ImageStoreKey) throws
}

extension ImageStoreEntry: StoredValue {
  static func read(_ key: ImageStoreKey, from store: any ImageStoring) throws -> ImageStoreEntry? {
    try store.read(key)
  }

  static func readFurther(_ key: ImageStoreKey, from store: any ImageStoring) throws -> ImageStoreEntry? {
    try store.read(key)
  }

  static func remove(_ key: ImageStoreKey, from store: any ImageStoring) throws { try store.remove(key) }

  func write(to store: any ImageStoring, for key: ImageStoreKey) throws { try store.write(self, for: key) }
}

/// The responses of an original, one for each variant: never empty when they were read.
struct StoredVariants: StoredValue {
  var entries: [HTTPCacheEntry]

  var byteCount: Int { entries.reduce(0) { $0 + $1.body.count } }

  static func read(_ key: ImageStoreKey, from store: any ImageStoring) throws -> StoredVariants? {
    StoredVariants(found: try ResponseShelf(store: store).entries(for: key.key))
  }

  static func readFurther(_ key: ImageStoreKey, from store: any ImageStoring) throws -> StoredVariants? {
    StoredVariants(found: try ResponseShelf(store: store).entriesIfFirst(for: key.key))
  }

  private init?(found entries: [HTTPCacheEntry]) {
    if entries.isEmpty { return nil }
    self.entries = entries
  }

  static func remove(_ key: ImageStoreKey, from store: any ImageStoring) throws {
    try ResponseShelf(store: store).removeEntries(for: key.key)
  }

  func write(to store: any ImageStoring, for key: ImageStoreKey) throws {
    for entry in entries {
      try ResponseShelf(store: store).store(entry, replacing: nil, at: key)
    }
  }
}
