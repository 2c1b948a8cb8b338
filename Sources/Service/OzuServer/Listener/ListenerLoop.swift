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
    case answer(connection: UInt64, ServiceResponse)
    /// Answers pending requests, within a time limit, and ends.
    case drain(Duration)
  }

  let service: any ServiceResponding
  let configuration: ServiceListener.Configuration
  let connectionCount = Atomic(0)
  /// Open when every connection is closed and the thread has ended.
  let ended = AsyncLatch()
  private let listener: ListeningSocket
  private let inbox = Mutex(LoopInbox<Command>())

  init(
    _ service: any ServiceResponding, _ listener: ListeningSocket,
    _ configuration: ServiceListener.Configuration
  ) {
    self.service = service
    self.listener = listener
    var configuration = configuration
    configuration.maximumConnectionCount = ListenerLoop.connectionLimit(
      configuration.maximumConnectionCount, descriptorLimit: sysconf(Int32(_SC_OPEN_MAX)))
    self.configuration = configuration
  }

  /// The limit on connections. It leaves half of the descriptors to files, origins and decoders: clients that send nothing could
  /// otherwise keep those of others from their pictures.
  ///
  /// - Parameter descriptorLimit: the most descriptors of this process; negative for no limit.
  static func connectionLimit(_ count: Int, descriptorLimit: Int) -> Int {
    descriptorLimit < 0 ? count : min(count, max(1, descriptorLimit / 2))
  }

  /// Starts the thread, which closes the listening socket when it ends. Returns whether a thread could be started.
  func start() -> Bool { put(.tick) == nil }

  /// Puts a command into the inbox. Has no effect after the thread has ended.
  func submit(_ command: Command) { _ = put(command) }

  private func put(_ command: Command) -> LoopInbox<Command>.Refusal? {
    inbox.withLock { inbox in
      inbox.put(command) { waker in
        LoopThread.start(named: "ozu.listener") { [self] in run(waker) }
      }
    }
  }

  private func run(_ waker: LoopWaker) {
    let work = ListenerWork(self, listener: listener, waker: waker.descriptor)
    repeat {
      for command in inbox.withLock({ $0.take().commands }) { work.take(command) }
      work.expire()
      let mayRest = inbox.withLock { $0.mayRest() }
      work.wait(mayRest: mayRest)
    } while !work.isDone
    work.close()
    inbox.withLock { $0.end() }
    waker.close()
    ended.open()
  }
}
