/// Connections that wait for a request, in the order in which they began to.
///
/// A connection that waits no more keeps its entry, which is dropped when it comes to the front or when more than half of the
/// entries are such ones. So no operation looks through all connections.
///
/// - Complexity: O(1) amortised for every operation.
struct WaitingOrder {
  struct Entry: Hashable {
    let number: UInt64
    let since: ContinuousClock.Instant
  }

  private var entries: [Entry] = []
  /// The entries before it are dropped.
  private var start = 0
  /// The number of entries from which on the next one drops those of connections that wait no more.
  private var limit = 64

  var count: Int { entries.count - start }

  /// Adds a connection that has begun to wait.
  ///
  /// - Parameter isCurrent: whether the connection of an entry waits since then.
  mutating func append(_ entry: Entry, isCurrent: (Entry) -> Bool) {
    if entries.count >= limit {
      entries = entries[start...].filter(isCurrent)
      start = 0
      limit = max(64, 2 * entries.count)
    }
    entries.append(entry)
  }

  /// The first entry whose connection still waits.
  mutating func oldest(isCurrent: (Entry) -> Bool) -> Entry? {
    while start < entries.count, !isCurrent(entries[start]) { start += 1 }
    return start < entries.count ? entries[start] : nil
  }
}
