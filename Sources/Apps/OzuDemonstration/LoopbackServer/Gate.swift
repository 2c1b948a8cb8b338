import OzuBase

/// A gate at which other work waits, so that a test decides the order of events.
///
/// At a closed gate tasks wait in the order in which they came. A test waits until they have arrived, makes its checks, and
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
  /// Identifies a waiter, so that it can be removed.
  struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct State {
    var isOpen: Bool
    var permits = 0
    var arrivalCount = 0
    var nextNumber: UInt64 = 0
    /// Each is called with whether it may pass.
    var waiting: [(ticket: Ticket, end: @Sendable (Bool) -> Void)] = []
    var observers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func takeTicket() -> Ticket {
      nextNumber += 1
      return Ticket(number: nextNumber)
    }
  }

  private let state: Mutex<State>

  /// Makes a gate, closed by default.
  public init(isOpen: Bool = false) {
    state = Mutex(State(isOpen: isOpen))
  }

  /// Lets all tasks pass that wait or come later.
  public func open() {
    let admitted = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting.map(\.end)
    }
    for end in admitted { end(true) }
  }

  /// Makes tasks wait that come from now on; unused admissions are dropped.
  public func close() {
    state.withLock { state in
      state.isOpen = false
      state.permits = 0
    }
  }

  /// Lets this number of tasks pass, also tasks that come later.
  public func admit(_ count: Int = 1) {
    let admitted = state.withLock { state in
      let now = min(count, state.waiting.count)
      let admitted = state.waiting.prefix(now).map(\.end)
      state.waiting.removeFirst(now)
      state.permits += count - now
      return admitted
    }
    for end in admitted { end(true) }
  }

  /// The number of tasks that wait at the gate.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// The number of tasks that have come to the gate so far; tasks that passed count too.
  public var arrivalCount: Int { state.withLock { $0.arrivalCount } }

  /// Returns when this number of tasks have come to the gate since it was made; tasks that passed count too.
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

  /// Waits at the gate and returns when it may pass.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before that.
  public func pass() async throws(CancellationError) {
    let ticket = ticket()
    let mayPass = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        if enter(ticket, end: { continuation.resume(returning: $0) }) {
          continuation.resume(returning: !Task.isCancelled)
        } else if Task.isCancelled {
          // Before it was in the queue, the handler could not find it.
          leave(ticket)
        }
      }
    } onCancel: {
      leave(ticket)
    }
    if !mayPass { throw CancellationError() }
  }

  /// Comes to the gate without waiting. Returns true if it may pass immediately; else calls `end` once: with true when it may
  /// pass, and with false when it leaves.
  func enter(_ ticket: Ticket, end: @escaping @Sendable (Bool) -> Void) -> Bool {
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
      state.waiting.append((ticket, end))
      return (false, reached)
    }
    for observer in observers { observer.resume() }
    return mayPass
  }

  func ticket() -> Ticket {
    state.withLock { $0.takeTicket() }
  }

  /// Leaves the queue of the gate; has no effect if it has passed.
  func leave(_ ticket: Ticket) {
    let end = state.withLock { state -> (@Sendable (Bool) -> Void)? in
      guard let place = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
      return state.waiting.remove(at: place).end
    }
    end?(false)
  }
}
