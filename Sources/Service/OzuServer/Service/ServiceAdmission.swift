import OzuBase
import OzuHTTP

/// Counts the requests that wait for their answers, and refuses more than a limit.
///
/// One origin gets at most half of the places, so that a slow one cannot take the places of all others.
final class ServiceAdmission: Sendable {
  private struct State {
    var count = 0
    var counts: [HTTPOrigin?: Int] = [:]
  }

  private let limit: Int
  private let limitOfOrigin: Int
  private let state = Mutex(State())

  /// - Parameter limit: the most requests that may wait, at least 2.
  init(limit: Int) {
    self.limit = max(2, limit)
    limitOfOrigin = self.limit / 2
  }

  /// The number of waiting requests.
  var count: Int { state.withLock { $0.count } }

  /// Takes a place.
  ///
  /// - Parameter origin: the origin of the source; `nil` for a source without one.
  /// - Returns: whether there was a place. If so, `leave` frees it.
  func enter(_ origin: HTTPOrigin?) -> Bool {
    state.withLock { state in
      let ofOrigin = state.counts[origin, default: 0]
      guard state.count < limit, ofOrigin < limitOfOrigin else { return false }
      state.count += 1
      state.counts[origin] = ofOrigin + 1
      return true
    }
  }

  /// Whether `enter` would refuse now.
  ///
  /// - Parameter origin: computed only if the service is busy: before that no origin can have its half of the places.
  func isFull(for origin: @autoclosure () -> HTTPOrigin?) -> Bool {
    guard count >= limitOfOrigin else { return false }
    let origin = origin()
    return state.withLock { $0.count >= limit || $0.counts[origin, default: 0] >= limitOfOrigin }
  }

  /// Frees a place.
  func leave(_ origin: HTTPOrigin?) {
    state.withLock { state in
      state.count -= 1
      let rest = state.counts[origin, default: 1] - 1
      state.counts[origin] = rest == 0 ? nil : rest
    }
  }
}
