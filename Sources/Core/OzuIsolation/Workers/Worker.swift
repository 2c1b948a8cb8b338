#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase

  /// A worker, in its own process: restricts itself, then answers requests until its socket is closed.
  struct Worker<Handler: WorkerHandling> {
    private var handler: Handler
    private let kind: WorkerKind
    private var confined: ozu_confined
    private var input: UnsafeMutableRawPointer?
    private var inputByteCount = 0

    /// Called in a process that was just forked.
    ///
    /// - Parameter descriptors: those of the request to the zygote.
    /// - Returns: nil if the zygote has ended.
    init?(
      _ handler: Handler, _ kind: WorkerKind, memoryByteCount: UInt64, descriptors: [Int32],
      supervision: Int32,
      zygote: pid_t
    ) {
      guard
        ozu_worker_take_descriptors(
          descriptors[2], descriptors[0], descriptors[3], descriptors[4], supervision) == 0
      else { return nil }
      self.handler = handler
      self.kind = kind
      var mask = sigset_t()
      sigemptyset(&mask)
      sigprocmask(SIG_SETMASK, &mask, nil)
      let paths = kind.readsFonts ? handler.readablePaths(kind) : []
      var pointers = paths.map { UnsafePointer<CChar>(strdup($0)) }
      defer { pointers.forEach { free(UnsafeMutableRawPointer(mutating: $0)) } }
      // Counted here, because /proc cannot be read afterwards.
      let threadCount = ozu_thread_count(0)
      var confined = ozu_confined()
      let code = pointers.withUnsafeMutableBufferPointer { paths in
        var wish = ozu_confinement(
          parent: zygote, reads_files: kind.readsFonts, starts_threads: kind.mayStartThreads,
          readable_paths: UnsafePointer(paths.baseAddress), readable_path_count: paths.count,
          memory_byte_count: memoryByteCount)
        return ozu_confine(&wish, &confined)
      }
      guard code == 0 else { return nil }
      self.confined = confined
      let report = WorkerConfinement.Report(confined: confined, zygoteThreadCount: threadCount)
      guard withUnsafeBytes(of: report, { Self.send(WorkerHead(.ready), $0) }) else { return nil }
    }

    /// Answers requests. Does not return.
    mutating func run() -> Never {
      let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: WorkerHead.datagramByteCount, alignment: 16)
      let output = WorkerOutput()
      while true {
        let count = ozu_receive_bytes(OZU_WORKER_SOCKET, buffer.baseAddress, buffer.count, true)
        if count == -EINTR { continue }
        guard count > 0, count <= buffer.count,
          let head = WorkerHead(UnsafeRawBufferPointer(rebasing: buffer.prefix(Int(count)))),
          head.kind == .request
        else { _exit(0) }
        ozu_begin_request(&confined)
        guard limit(head), place(head) else { _exit(1) }
        output.begin(token: head.token)
        let body = UnsafeRawBufferPointer(start: input, count: Int(clamping: head.bodyByteCount))
        let answer = handler.answer(
          message: buffer.message(byteCount: Int(count)), body: body, bodyNumber: head.bodyNumber,
          output: output)
        precondition(answer.count <= WorkerRequest.messageByteCount, "an answer of \(answer.count) bytes")
        var reply = WorkerHead(.answer, token: head.token)
        reply.outputByteCount = UInt64(output.byteCount)
        guard answer.withUnsafeBytes({ Self.send(reply, $0) }) else { _exit(0) }
        // The asking process has its answer and does not wait for this. Nothing else happens before the next
        // request.
        ozu_end_request(&confined)
      }
    }

    /// Limits memory and processor time for one request.
    private mutating func limit(_ head: WorkerHead) -> Bool {
      // Without limits of the system, only the clock of the asking process stops the worker.
      guard confined.limits_error == 0 else { return true }
      let isLimited = withUnsafePointer(to: confined) {
        ozu_limit_memory(
          $0, head.memoryByteCount, head.inputByteCount &+ head.outputByteCount, kind.mayStartThreads) == 0
      }
      guard isLimited else { return false }
      return ozu_limit_cpu_time(&confined, head.cpuSeconds, kind.mayStartThreads) == 0
    }

    /// Maps the input segment again if it has grown.
    private mutating func place(_ head: WorkerHead) -> Bool {
      guard let length = Int(exactly: head.inputByteCount), head.bodyByteCount <= head.inputByteCount else {
        return false
      }
      guard length > inputByteCount else { return true }
      if let input { munmap(input, inputByteCount) }
      (input, inputByteCount) = (nil, 0)
      guard let new = mmap(nil, length, PROT_READ, MAP_SHARED, OZU_WORKER_INPUT, 0), new != MAP_FAILED else {
        return false
      }
      (input, inputByteCount) = (new, length)
      return true
    }

    private static func send(_ head: WorkerHead, _ message: UnsafeRawBufferPointer) -> Bool {
      withUnsafeBytes(of: head) {
        ozu_send(OZU_WORKER_SOCKET, $0.baseAddress, $0.count, message.baseAddress, message.count, nil, 0) == 0
      }
    }
  }
#endif
