import OzuSynchronization

/// Counts the requests that wait for their answers, and refuses those that are too many.
///
/// A host has half of the places at most: one that hardly answers cannot take those of all others.
final class ServiceAdmission: Sendable {
  private struct State {
    var count = 0
    var counts: [String: Int] = [:]
  }

  private let limit: Int
  private let limitOfHost: Int
  private let state = Mutex(State())

  /// - Parameter limit: how many may wait, at least 2.
  init(limit: Int) {
    self.limit = max(2, limit)
    limitOfHost = self.limit / 2
  }

  /// How many wait.
  var count: Int { state.withLock { $0.count } }

  /// Takes a place.
  ///
  /// - Parameter host: of the source; empty for one without.
  /// - Returns: whether there was one; then `leave` gives it back.
  func enter(_ host: String) -> Bool {
    state.withLock { state in
      let ofHost = state.counts[host, default: 0]
      guard state.count < limit, ofHost < limitOfHost else { return false }
      state.count += 1
      state.counts[host] = ofHost + 1
      return true
    }
  }

  /// Whether `enter` would refuse now.
  func isFull(for host: String) -> Bool {
    state.withLock { $0.count >= limit || $0.counts[host, default: 0] >= limitOfHost }
  }

  /// Gives a place back.
  func leave(_ host: String) {
    state.withLock { state in
      state.count -= 1
      let rest = state.counts[host, default: 1] - 1
      state.counts[host] = rest == 0 ? nil : rest
    }
  }
}
