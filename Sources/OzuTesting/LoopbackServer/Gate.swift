import OzuSynchronization

/// A turnstile that tests put in the way of other work, so that they decide what happens when.
///
/// A closed gate holds whoever comes, in order. A test waits until somebody stands there, looks around, and
/// lets them pass: all of them with `open()`, or some with `admit(_:)`. No clock is involved.
///
/// ```swift
/// let gate = Gate()
/// server.route("/slow") { _ in .ok(data).held(by: gate) }
/// async let image = pipeline.image(for: server.url("/slow"))
/// await gate.arrivals(1)
/// #expect(server.inFlightCount == 1)
/// gate.open()
/// ```
public final class Gate: Sendable {
  /// Names one that waits, so that it can be taken out again.
  struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct State {
    var isOpen: Bool
    var permits = 0
    var arrivalCount = 0
    var nextNumber: UInt64 = 0
    var waiting: [(ticket: Ticket, admitted: @Sendable () -> Void)] = []
    var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func takeTicket() -> Ticket {
      nextNumber += 1
      return Ticket(number: nextNumber)
    }
  }

  private let state: Mutex<State>

  /// Makes a gate, closed unless said otherwise.
  public init(isOpen: Bool = false) {
    state = Mutex(State(isOpen: isOpen))
  }

  /// Lets everybody pass, now and from now on.
  public func open() {
    let admitted = state.withLock { state in
      state.isOpen = true
      let admitted = state.waiting
      state.waiting = []
      return admitted.map(\.admitted)
    }
    for pass in admitted { pass() }
  }

  /// Holds whoever comes from now on; unused admissions are forgotten.
  public func close() {
    state.withLock { state in
      state.isOpen = false
      state.permits = 0
    }
  }

  /// Lets that many pass, those who come later included.
  public func admit(_ count: Int = 1) {
    let admitted = state.withLock { state in
      let now = min(count, state.waiting.count)
      let admitted = state.waiting.prefix(now).map(\.admitted)
      state.waiting.removeFirst(now)
      state.permits += count - now
      return admitted
    }
    for pass in admitted { pass() }
  }

  /// How many stand at the gate.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// How many have come to the gate so far, those who passed included.
  public var arrivalCount: Int { state.withLock { $0.arrivalCount } }

  /// Returns once that many have come to the gate since it was made, those who passed included.
  public func arrivals(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.arrivalCount >= count { return true }
        state.observers.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  /// Comes to the gate and returns once let through.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before that.
  public func pass() async throws(CancellationError) {
    let ticket = state.withLock { $0.takeTicket() }
    let passage = Passage()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        passage.begin(continuation)
        if enter(ticket, admitted: { passage.end(isCancelled: false) }) {
          passage.end(isCancelled: false)
        } else if passage.isOver {
          // Cancelled before it stood in the row, where the handler could not find it.
          leave(ticket)
        }
      }
    } onCancel: {
      leave(ticket)
      passage.end(isCancelled: true)
    }
    if passage.isCancelled { throw CancellationError() }
  }

  /// Comes to the gate without waiting: returns true if it may pass at once, else calls `admitted` when it
  /// may.
  func enter(_ ticket: Ticket, admitted: @escaping @Sendable () -> Void) -> Bool {
    let (mayPass, observers) = state.withLock { state in
      state.arrivalCount += 1
      let arrivalCount = state.arrivalCount
      let reached = state.observers.filter { $0.count <= arrivalCount }.map(\.continuation)
      state.observers.removeAll { $0.count <= arrivalCount }
      if state.isOpen { return (true, reached) }
      if state.permits > 0 {
        state.permits -= 1
        return (true, reached)
      }
      state.waiting.append((ticket, admitted))
      return (false, reached)
    }
    for observer in observers { observer.resume() }
    return mayPass
  }

  /// A name for `enter`.
  func ticket() -> Ticket {
    state.withLock { $0.takeTicket() }
  }

  /// Goes away from the gate; nothing happens if it has passed.
  func leave(_ ticket: Ticket) {
    state.withLock { state in
      state.waiting.removeAll { $0.ticket == ticket }
    }
  }
}

/// One task's way through a gate. Admission and cancellation race for it; the first decides.
private final class Passage: Sendable {
  private enum State {
    case fresh
    case waiting(CheckedContinuation<Void, Never>)
    case over(isCancelled: Bool)
  }

  private let state = Mutex(State.fresh)

  func begin(_ continuation: CheckedContinuation<Void, Never>) {
    let isOver = state.withLock { state in
      if case .over = state { return true }
      state = .waiting(continuation)
      return false
    }
    if isOver { continuation.resume() }
  }

  func end(isCancelled: Bool) {
    let continuation: CheckedContinuation<Void, Never>? = state.withLock { state in
      switch state {
      case .fresh:
        state = .over(isCancelled: isCancelled)
        return nil
      case .waiting(let continuation):
        state = .over(isCancelled: isCancelled)
        return continuation
      case .over:
        return nil
      }
    }
    continuation?.resume()
  }

  var isOver: Bool {
    state.withLock { state in
      if case .over = state { return true }
      return false
    }
  }

  var isCancelled: Bool {
    state.withLock { state in
      if case .over(let isCancelled) = state { return isCancelled }
      return false
    }
  }
}
