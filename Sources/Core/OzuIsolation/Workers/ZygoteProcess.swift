#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase

  /// The process that workers are forked from, as seen by the process that asks. It is started once, has one
  /// thread, and has the libraries loaded, so that a worker costs a fork and not the start of a program.
  ///
  /// It ends together with its workers when its socket is closed here. Immutable, and all calls on its socket are
  /// atomic.
  final class ZygoteProcess: Sendable {
    private let process: pid_t
    private let processDescriptor: Descriptor?
    private let socket: Descriptor

    init(_ helper: WorkerHelper, fontFolders: [String] = []) throws(WorkerPool.StartFailure) {
      let (socket, helperSocket) = try Descriptor.sockets()
      process = helper.spawn(socket: helperSocket.number, fontFolders: fontFolders)
      guard process > 0 else { throw WorkerPool.StartFailure(helper.name, -process) }
      let number = ozu_process_open(process)
      processDescriptor = number >= 0 ? Descriptor(number) : nil
      self.socket = socket
    }

    /// Asks for a worker with these descriptors, which stay open here.
    ///
    /// - Returns: whether the zygote will receive the request.
    func start(_ kind: WorkerKind, memoryByteCount: Int, _ descriptors: [Int32]) -> Bool {
      let datagram = ZygoteRequest.datagram(kind, memoryByteCount: memoryByteCount)
      return datagram.withUnsafeBytes {
        ozu_send(socket.number, $0.baseAddress, $0.count, nil, 0, descriptors, descriptors.count) == 0
      }
    }

    /// Tells the zygote to end, even while other threads still use it.
    func close() { shutdown(socket.number, Int32(SHUT_RDWR)) }

    func kill() {
      if let processDescriptor { _ = ozu_process_kill(processDescriptor.number) }
    }

    /// Whether the process has ended and was reaped.
    func isReaped() -> Bool {
      var status: Int32 = 0
      // An app that ignores SIGCHLD has no children to wait for.
      return ozu_reap(process, &status) != 0
    }
  }
#endif
