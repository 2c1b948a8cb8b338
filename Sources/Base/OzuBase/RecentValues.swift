/// Values that take long to make, by what they are made of: those that were used recently.
///
/// Of too many, or too costly ones, those go first that were used the longest ago. One lock guards them. A missing value is
/// made outside of it, so two threads may make the same one; the later one is kept.
package final class RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    let value: Value
    let cost: Int
    var lastUse: Int
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var cost = 0
    var clock = 0

    /// The place of the value that was used the longest ago. Its key would not do: one with a number that is none (NaN) is not
    /// equal to itself.
    var oldest: [Key: Entry].Index? {
      entries.indices.min { entries[$0].value.lastUse < entries[$1].value.lastUse }
    }
  }

  private let state = Mutex(State())
  private let countLimit: Int
  private let costLimit: Int

  /// - Parameters:
  ///   - countLimit: the most values.
  ///   - costLimit: the most that they may cost together.
  package init(countLimit: Int, costLimit: Int = .max) {
    self.countLimit = countLimit
    self.costLimit = costLimit
  }

  /// The number of values, and what they cost together.
  package var contents: (count: Int, cost: Int) { state.withLock { ($0.entries.count, $0.cost) } }

  /// A value, which is then the one that was used last.
  ///
  /// - Complexity: O(1).
  package func value(for key: Key) -> Value? {
    state.withLock { state -> Value? in
      state.clock += 1
      state.entries[key]?.lastUse = state.clock
      return state.entries[key]?.value
    }
  }

  /// Keeps a value, unless it costs more than all may together.
  ///
  /// - Complexity: O(values).
  package func insert(_ value: Value, for key: Key, cost: Int = 1) {
    guard cost <= costLimit else { return }
    state.withLock { state in
      state.clock += 1
      if let old = state.entries.removeValue(forKey: key) { state.cost -= old.cost }
      while state.entries.count >= countLimit || cost > costLimit - state.cost {
        guard let oldest = state.oldest else { break }
        state.cost -= state.entries.remove(at: oldest).value.cost
      }
      state.entries[key] = Entry(value: value, cost: cost, lastUse: state.clock)
      state.cost += cost
    }
  }
}
