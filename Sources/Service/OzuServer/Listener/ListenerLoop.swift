import CListener
import OzuBase
import OzuHTTP

/// The inbox and the thread of a listener: one thread for all its connections.
///
/// Any thread may call `submit`; it only appends under the lock and wakes the thread. Only the thread uses
/// connections. The thread owns the loop, so a listener that is released only asks the thread to end.
final class ListenerLoop: Sendable {
  enum Command: Sendable {
    /// Begins, or reads the clock again after a test has moved it.
    case tick
    /// Sends an answer.
    case answer(connection: UInt64, ServiceResponse)
    /// Answers pending requests, within a time limit, and ends.
    case drain(Duration)
  }

  private struct State {
    var inbox = LoopInbox<Command>()
    var hasEnded = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  let service: any ServiceResponding
  let configuration: ServiceListener.Configuration
  let connectionCount = Atomic(0)
  private let listener: ListeningSocket
  private let state = Mutex(State())

  init(
    _ service: any ServiceResponding, _ listener: ListeningSocket,
    _ configuration: ServiceListener.Configuration
  ) {
    self.service = service
    self.listener = listener
    self.configuration = configuration
  }

  /// Starts the thread, which closes the listening socket when it ends. Returns whether a thread could be started.
  func start() -> Bool { put(.tick) == nil }

  /// Puts a command into the inbox. Has no effect after the thread has ended.
  func submit(_ command: Command) { _ = put(command) }

  private func put(_ command: Command) -> LoopInbox<Command>.Refusal? {
    state.withLock { state in
      state.inbox.put(command) { waker in
        LoopThread.start(named: "ozu.listener") { [self] in run(waker) }
      }
    }
  }

  /// Returns after every connection is closed and the thread has ended.
  func ended() async {
    await withCheckedContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }

  private func run(_ waker: LoopWaker) {
    let work = ListenerWork(self, listener: listener, waker: waker.descriptor)
    repeat {
      for command in state.withLock({ $0.inbox.take().commands }) { work.take(command) }
      work.expire()
      let mayRest = state.withLock { $0.inbox.mayRest() }
      work.wait(mayRest: mayRest)
    } while !work.isDone
    work.close()
    let waiters = state.withLock { state in
      state.inbox.end()
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    waker.close()
    for waiter in waiters { waiter.resume() }
  }
}
