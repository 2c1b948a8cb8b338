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
    var waiting: [(ticket: Ticket, admitted: @Sendable () -> Void)] = []
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
      let admitted = state.waiting
      state.waiting = []
      return admitted.map(\.admitted)
    }
    for pass in admitted { pass() }
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
      let admitted = state.waiting.prefix(now).map(\.admitted)
      state.waiting.removeFirst(now)
      state.permits += count - now
      return admitted
    }
    for pass in admitted { pass() }
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
    let ticket = state.withLock { $0.takeTicket() }
    let passage = Passage()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        passage.begin(continuation)
        if enter(ticket, admitted: { passage.end(isCancelled: false) }) {
          passage.end(isCancelled: false)
        } else if passage.isOver {
          // Cancelled before it was in the queue, where the handler could not find it.
          leave(ticket)
        }
      }
    } onCancel: {
      leave(ticket)
      passage.end(isCancelled: true)
    }
    if passage.isCancelled { throw CancellationError() }
  }

  /// Comes to the gate without waiting. Returns true if it may pass immediately; else calls `admitted` when it may pass.
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

  func ticket() -> Ticket {
    state.withLock { $0.takeTicket() }
  }

  /// Leaves the queue of the gate; has no effect if it has passed.
  func leave(_ ticket: Ticket) {
    state.withLock { state in
      state.waiting.removeAll { $0.ticket == ticket }
    }
  }
}

/// The state of one task at a gate. Admission and cancellation race; the first one decides.
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
    let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if case .over = state { return nil }
      defer { state = .over(isCancelled: isCancelled) }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    continuation?.resume()
  }

  var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }
  var isCancelled: Bool { state.withLock { if case .over(isCancelled: true) = $0 { true } else { false } } }
}
