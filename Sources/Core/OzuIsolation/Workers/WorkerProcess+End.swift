#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase
  import OzuImaging

  extension WorkerProcess {
    /// Why the worker has closed its socket.
    func reasonOfEnd(_ request: WorkerRequest) -> DecoderFailure {
      // The worker was killed together with the zygote. The file is not decoded elsewhere, because it may be the
      // cause.
      guard let end = waitForEnd(deadline: request.deadline) else { return .crashed(signal: SIGKILL) }
      readLibraryOutput()
      let signal = end.status & 0x7F
      if end.wasKilled != 0, signal == SIGKILL { return .wrongAnswer("it closed its connection") }
      switch signal {
      case 0: return .ended(status: end.status >> 8 & 0xFF)
      case SIGXCPU: return .stopped(.cpuTime(request.cpuTime))
      case SIGABRT where saysOutOfMemory: return .stopped(.memory(byteCount: request.memoryByteCount))
      default: return .crashed(signal: signal)
      }
    }

    /// How it ended. A worker that has only closed its socket is killed. Nil if there is no zygote to report it, or if
    /// it hangs.
    func waitForEnd(deadline: Duration = .seconds(10)) -> WorkerEnd? {
      var status = WorkerEnd()
      // First the worker may end by itself, then it is killed, and then the zygote may be busy with the libraries
      // of another format.
      let most = max(2, min(100, Int(clamping: deadline / .milliseconds(Int(Self.timeToEnd)))))
      for attempt in 0..<most {
        let count = withUnsafeMutableBytes(of: &status) {
          ozu_receive_bytes(end.number, $0.baseAddress, $0.count, true)
        }
        if count == MemoryLayout<WorkerEnd>.size { return status }
        guard count == -EAGAIN || count == -EINTR else { return nil }
        // The socket is shut down, and no message is sent: if the zygote did not read a message, the socket would
        // report an error instead of the status.
        if attempt == 0 { shutdown(end.number, Int32(SHUT_WR)) }
      }
      return nil
    }

    /// Reads the output of libraries; its end usually says why they failed.
    func readLibraryOutput() {
      // Bounded, because a worker may print without end.
      for _ in 0..<32 {
        let count = Glibc.read(libraryOutput.number, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        lastLibraryOutput += buffer.prefix(count)
        lastLibraryOutput.removeFirst(max(0, lastLibraryOutput.count - Self.libraryOutputByteCount))
      }
    }

    /// Whether a library printed that memory was short before it ended the process: the messages of Rust, GLib, C++,
    /// cairo and Swift.
    private var saysOutOfMemory: Bool {
      let text = String(decoding: lastLibraryOutput, as: UTF8.self)
      return ["memory allocation of", "failed to allocate", "out of memory", "NoMemory", "bad_alloc"]
        .contains(
          where: text.contains)
    }
  }
#endif
