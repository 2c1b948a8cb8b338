#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import Glibc

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
      var wasKilled = false
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
        guard poll(&sources, nfds_t(sources.count), -1) >= 0 else { continue }
        // Ends are handled before new workers: there are never more workers than places for them.
        if sources[1].revents != 0 { reap() }
        for (process, source) in zip(order, sources.dropFirst(2)) where source.revents != 0 { end(process) }
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
      let process = ozu_fork()
      if process == 0 {
        var worker = Worker(
          handler, request.kind, memoryByteCount: request.memoryByteCount, descriptors: descriptors,
          zygote: zygote)
        worker?.run()
        _exit(1)
      }
      for descriptor in descriptors where descriptor != descriptors[1] { close(descriptor) }
      if process > 0 {
        workers[process] = Running(end: descriptors[1])
      } else {
        var end = WorkerEnd()
        end.forkError = -process
        tell(end, descriptors[1])
      }
    }

    /// Kills a worker that is not wanted any more. Its process number stays taken until `reap` has its status.
    private mutating func end(_ process: pid_t) {
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
