import OzuSynchronization

/// Counts the requests that wait for their answers, and refuses more than a limit.
///
/// One host gets at most half of the places, so that a slow host cannot take the places of all others.
final class ServiceAdmission: Sendable {
  private struct State {
    var count = 0
    var counts: [String: Int] = [:]
  }

  private let limit: Int
  private let limitOfHost: Int
  private let state = Mutex(State())

  /// - Parameter limit: the most requests that may wait, at least 2.
  init(limit: Int) {
    self.limit = max(2, limit)
    limitOfHost = self.limit / 2
  }

  /// The number of waiting requests.
  var count: Int { state.withLock { $0.count } }

  /// Takes a place.
  ///
  /// - Parameter host: the host of the source; empty for a source without one.
  /// - Returns: whether there was a place. If so, `leave` frees it.
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

  /// Frees a place.
  func leave(_ host: String) {
    state.withLock { state in
      state.count -= 1
      let rest = state.counts[host, default: 1] - 1
      state.counts[host] = rest == 0 ? nil : rest
    }
  }
}
