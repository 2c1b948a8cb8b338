import OzuSynchronization

/// The bytes that somebody still works with: a load of another size that comes while the first one is decoded finds
/// them here, before any cache has them.
///
/// References are weak, so nothing is kept longer than it is needed. One lock guards the table; what is released
/// is released outside of it.
final class LiveFetches: Sendable {
  private struct Entry: Sendable {
    weak var data: FetchedData?
  }

  private struct State {
    var entries: [JobKey: Entry] = [:]
    var sweepCount = 64
  }

  private let state = Mutex(State())

  /// Notes what was fetched.
  ///
  /// - Returns: what its steps start from: the same file where that has been read twice, because the second load came when
  ///   the first reading was over and not noted yet. Steps are shared by what they start from.
  func note(_ data: FetchedData, for key: JobKey) -> FetchedData {
    // Looking at a weak reference makes a strong one, which may be the last: all are released outside of the lock.
    var live: [FetchedData] = []
    defer { withExtendedLifetime(live) {} }
    return state.withLock { state in
      if let other = state.entries[key]?.data {
        live.append(other)
        if other.stamp != nil, other.stamp == data.stamp { return other }
      }
      state.entries[key] = Entry(data: data)
      guard state.entries.count > state.sweepCount else { return data }
      state.entries = state.entries.filter { entry in
        guard let data = entry.value.data else { return false }
        live.append(data)
        return true
      }
      state.sweepCount = max(64, state.entries.count * 2)
      return data
    }
  }

  func data(for key: JobKey) -> FetchedData? {
    state.withLock { $0.entries[key]?.data }
  }

  func forget(_ key: JobKey) {
    state.withLock { _ = $0.entries.removeValue(forKey: key) }
  }

  /// Forgets what was fetched of a source.
  ///
  /// - Complexity: O(fetches that are worked with).
  func forget(source: CacheKey) {
    state.withLock { state in state.entries = state.entries.filter { $0.key.key != source } }
  }
}
