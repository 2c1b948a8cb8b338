import OzuBase

extension DiskCache {
  /// The facts of an entry: everything except the body.
  public struct EntryInfo: Sendable {
    /// The entry's key.
    public let key: CacheKey
    /// The entry's partition.
    public let partition: Partition
    /// The text for listings of the cache.
    public let label: String?
    /// The bytes stored with the body.
    public let metadata: Data
    /// The length of the body in bytes.
    public let bodyByteCount: Int
    /// The bytes that the entry takes on disk.
    public let byteCount: Int
    /// The date when the entry was stored.
    public let storedDate: Date
    /// The date of the last use.
    public let accessDate: Date
  }

  /// The entries of a partition, the most recently used first. Listing does not count as a use.
  ///
  /// The order is that of the moment of the call. Each entry is read when the iteration reaches it, so stopping
  /// early saves these reads. Entries that were removed meanwhile are skipped.
  ///
  /// - Complexity: O(entries) in memory for the call, one small read per entry for the iteration.
  public func entries(in partition: Partition) -> Entries {
    Entries(store: store, queues: queues, identities: store.entriesByAccess(in: partition))
  }

  /// The entries of all partitions, the most recently used first.
  ///
  /// - Complexity: O(entries × log entries) in memory for the call, one small read per entry for the iteration.
  public func entries() -> Entries {
    Entries(store: store, queues: queues, identities: store.entriesByAccess())
  }

  /// The facts of a key's entry, without its body.
  public func info(forKey key: CacheKey, in partition: Partition = .default) -> EntryInfo? {
    Entries.read(Entries.Identity(key: key, partition: partition), from: store)
  }

  /// A sequence of the facts of entries. Each entry is read when the iteration reaches it. `async` is the same for
  /// asynchronous callers.
  public struct Entries: Sequence, Sendable {
    typealias Identity = OutdatedEntries.Identity

    let store: SegmentStore
    let queues: SerialQueues
    let identities: [Identity]

    /// The iterator of a listing.
    public struct Iterator: IteratorProtocol, Sendable {
      fileprivate let store: SegmentStore
      fileprivate var rest: ArraySlice<Identity>

      /// The next entry that still exists.
      public mutating func next() -> EntryInfo? {
        while let identity = rest.popFirst() {
          if let info = Entries.read(identity, from: store) { return info }
        }
        return nil
      }
    }

    /// Starts at the most recently used entry.
    public func makeIterator() -> Iterator {
      Iterator(store: store, rest: identities[...])
    }

    static func read(_ identity: Identity, from store: SegmentStore) -> EntryInfo? {
      store.withRecord(identity.key, in: identity.partition, read: RecordReader.readHead) { record in
        let header = record.header
        return EntryInfo(
          key: identity.key, partition: identity.partition, label: record.label, metadata: record.metadata,
          bodyByteCount: header.bodyLength, byteCount: header.recordLength,
          storedDate: Date(nanoseconds: header.stored), accessDate: Date(nanoseconds: header.accessed))
      }
    }
  }
}

extension DiskCache.Entries {
  /// The same listing, read on the cache's queues. It does not block the caller's thread.
  ///
  /// ```swift
  /// for await entry in cache.entries(in: "words").async { print(entry.label ?? "") }
  /// ```
  public var async: AsyncEntries { AsyncEntries(entries: self) }

  /// An asynchronous sequence of the facts of entries. Each entry is read when the iteration reaches it.
  public struct AsyncEntries: AsyncSequence, Sendable {
    let entries: DiskCache.Entries

    /// The iterator of an asynchronous listing.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
      fileprivate let entries: DiskCache.Entries
      fileprivate var rest: ArraySlice<Identity>

      /// The next entry that still exists.
      public mutating func next() async -> DiskCache.EntryInfo? {
        while let identity = rest.popFirst() {
          let info = await entries.queues.run(identity.key) { [store = entries.store] in
            DiskCache.Entries.read(identity, from: store)
          }
          if let info { return info }
        }
        return nil
      }
    }

    /// Starts at the most recently used entry.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(entries: entries, rest: entries.identities[...])
    }
  }
}
