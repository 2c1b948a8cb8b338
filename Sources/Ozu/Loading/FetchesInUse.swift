import OzuSynchronization

/// The fetched bytes that a load still uses. A load of another size that begins while the first one is decoded finds
/// them here, before any cache has them.
///
/// References are weak, so nothing is kept longer than needed. One lock guards the table; objects are released
/// outside the lock.
final class FetchesInUse: Sendable {
  private struct Entry: Sendable {
    weak var data: FetchedData?
  }

  private struct State {
    var entries: [JobKey: Entry] = [:]
    var sweepCount = 64
  }

  private let state = Mutex(State())

  /// Records fetched bytes.
  ///
  /// - Returns: the object from which the steps start. If the same file was read twice, because the second load began
  ///   after the first read had ended and before it was recorded, this is the first object, so that the steps are
  ///   shared.
  func note(_ data: FetchedData, for key: JobKey) -> FetchedData {
    // Reading a weak reference makes a strong one, which may be the last: all are released outside the lock.
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
}
