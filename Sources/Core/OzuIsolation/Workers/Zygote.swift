#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase

  /// The zygote, in its own process: forks workers and reports how they ended. It has one thread, so that a fork
  /// copies no lock that another thread holds.
  ///
  /// It sees no bytes of files. When the process that started it closes its socket or ends, the zygote ends
  /// together with its workers.
  struct Zygote<Handler: WorkerHandling> {
    private var handler: Handler
    private var prepared: Set<WorkerKind> = []
    /// By process: the socket on which its end is reported.
    private var workers: [pid_t: Running] = [:]
    private let childSignals: Int32

    private struct Running {
      var end: Int32
      /// Where the worker sends the descriptor by which it asks for threads, when it restricts itself; -1 after that, and if it
      /// may not start any.
      var supervision: Int32
      /// Where it asks for each thread; -1 before that.
      var supervisor: Int32 = -1
      var grantedThreadCount: UInt32 = 0
      var wasKilled = false

      /// What is read for its threads.
      var threads: Int32 { supervisor >= 0 ? supervisor : supervision }
    }

    /// The longest time for loading the libraries of one kind, in seconds. The waiting thread has given up by then.
    private static var preparationSeconds: UInt32 { 60 }

    init(_ handler: Handler) {
      self.handler = handler
      ozu_guard_process()
      childSignals = ozu_child_signals()
    }

    /// Forks workers until the asking process has ended.
    mutating func run() -> Never {
      let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: ZygoteRequest.datagramByteCount, alignment: 16)
      while true {
        let processes = workers.filter { !$0.value.wasKilled }
        var sources = [OZU_WORKER_SOCKET, childSignals].map {
          pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let order = processes.keys.sorted()
        for process in order {
          sources.append(pollfd(fd: processes[process]?.end ?? -1, events: Int16(POLLIN), revents: 0))
        }
        let supervised = order.filter { (workers[$0]?.threads ?? -1) >= 0 }
        for process in supervised {
          sources.append(pollfd(fd: workers[process]?.threads ?? -1, events: Int16(POLLIN), revents: 0))
        }
        guard poll(&sources, nfds_t(sources.count), -1) >= 0 else { continue }
        // Ends are handled before new workers: there are never more workers than places for them.
        if sources[1].revents != 0 { reap() }
        for (process, source) in zip(order, sources.dropFirst(2)) where source.revents != 0 { end(process) }
        for (process, source) in zip(supervised, sources.suffix(supervised.count)) {
          superviseThread(of: process, source.revents)
        }
        if sources[0].revents != 0 { start(buffer) }
      }
    }

    private mutating func start(_ buffer: UnsafeMutableRawBufferPointer) {
      var descriptors = [Int32](repeating: -1, count: ZygoteRequest.descriptorCount)
      var descriptorCount = 0
      let count = ozu_receive(
        OZU_WORKER_SOCKET, buffer.baseAddress, buffer.count, &descriptors, descriptors.count,
        &descriptorCount)
      guard count > 0 else { _exit(0) }
      guard descriptorCount == descriptors.count, count <= buffer.count,
        let request = ZygoteRequest.read(UnsafeRawBufferPointer(rebasing: buffer.prefix(Int(count))))
      else { _exit(1) }
      if !prepared.contains(request.kind) {
        // This ends the process if a library hangs; otherwise it could not notice that its parent has ended.
        alarm(Self.preparationSeconds)
        if handler.prepare(request.kind) { prepared.insert(request.kind) }
        alarm(0)
      }
      let zygote = getpid()
      var supervision: [Int32] = [-1, -1]
      if request.kind.mayStartThreads, ozu_socket_pair(&supervision) != 0 { _exit(1) }
      let process = ozu_fork()
      if process == 0 {
        var worker = Worker(
          handler, request.kind, memoryByteCount: request.memoryByteCount, descriptors: descriptors,
          supervision: supervision[1], zygote: zygote)
        worker?.run()
        _exit(1)
      }
      for descriptor in descriptors where descriptor != descriptors[1] { close(descriptor) }
      close(supervision[1])
      if process > 0 {
        workers[process] = Running(end: descriptors[1], supervision: supervision[0])
      } else {
        close(supervision[0])
        var end = WorkerEnd()
        end.forkError = -process
        tell(end, descriptors[1])
      }
    }

    /// Takes the descriptor by which a worker asks for threads from a socket with events: it has sent it, or closed its end.
    private func supervisor(from socket: Int32) -> Int32 {
      defer { close(socket) }
      var (descriptor, count, byte): (Int32, Int, UInt8) = (-1, 0, 0)
      guard ozu_receive(socket, &byte, 1, &descriptor, 1, &count) > 0, count == 1 else { return -1 }
      return descriptor
    }

    private mutating func superviseThread(of process: pid_t, _ events: Int16) {
      guard events != 0, let worker = workers[process] else { return }
      // Not waited for: a worker may need long for its root folder, and other workers must not wait for it.
      guard worker.supervisor >= 0 else {
        let supervisor = supervisor(from: worker.supervision)
        workers[process]?.supervisor = supervisor
        workers[process]?.supervision = -1
        return
      }
      guard events & Int16(POLLIN) != 0 else {
        // The worker has ended, and `reap` will find it.
        close(worker.supervisor)
        workers[process]?.supervisor = -1
        return
      }
      var granted = worker.grantedThreadCount
      ozu_supervise_thread(worker.supervisor, process, Int32(WorkerKind.mostThreads), &granted)
      workers[process]?.grantedThreadCount = granted
    }

    /// Kills a worker that is not wanted any more. Its process number stays taken until `reap` has its status.
    private mutating func end(_ process: pid_t) {
      // It may just have been reaped: its number is free then.
      guard workers[process] != nil else { return }
      workers[process]?.wasKilled = true
      kill(process, SIGKILL)
    }

    private mutating func reap() {
      ozu_child_signals_drain(childSignals)
      var end = WorkerEnd()
      while true {
        let process = ozu_reap(-1, &end.status)
        guard process > 0 else { return }
        guard let worker = workers.removeValue(forKey: process) else { continue }
        if worker.threads >= 0 { close(worker.threads) }
        end.wasKilled = worker.wasKilled ? 1 : 0
        tell(end, worker.end)
      }
    }

    private func tell(_ end: WorkerEnd, _ descriptor: Int32) {
      _ = withUnsafeBytes(of: end) { ozu_send(descriptor, $0.baseAddress, $0.count, nil, 0, nil, 0) }
      close(descriptor)
    }
  }
#endif
