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
      private let entries: DiskCache.Entries
      private var position = 0

      fileprivate init(_ entries: DiskCache.Entries) {
        self.entries = entries
      }

      /// The next entry that still exists.
      public mutating func next() async -> DiskCache.EntryInfo? {
        while position < entries.identities.count {
          let identity = entries.identities[position]
          position += 1
          let store = entries.store
          let info = await entries.queues.run(identity.key) { DiskCache.Entries.read(identity, from: store) }
          if let info { return info }
        }
        return nil
      }
    }

    /// Starts at the most recently used entry.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(entries)
    }
  }
}
