#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase

  /// Memory for the payload of an answer, shared with the process that asked. Used in a worker.
  package final class WorkerOutput {
    /// The length of the payload.
    package private(set) var byteCount = 0

    /// The token of the current request.
    private var token: UInt64 = 0
    private var address: UnsafeMutableRawPointer?
    private var mappedByteCount = 0

    func begin(token: UInt64) {
      self.token = token
      byteCount = 0
    }

    /// Sets the length of the payload and returns its memory, which may contain bytes of earlier answers.
    ///
    /// Growing may move the memory: then earlier results are not valid any more, but their content is kept. A
    /// payload that is larger than the request allows ends the worker: the asking process decides that.
    ///
    /// - Returns: nil if there is no memory.
    package func resize(to byteCount: Int) -> UnsafeMutableRawBufferPointer? {
      guard byteCount >= 0, byteCount <= mappedByteCount || grow(to: byteCount) else { return nil }
      self.byteCount = byteCount
      return UnsafeMutableRawBufferPointer(start: address, count: byteCount)
    }

    private func grow(to byteCount: Int) -> Bool {
      var head = WorkerHead(.more, token: token)
      head.outputByteCount = UInt64(byteCount)
      let answer = withUnsafeMutableBytes(of: &head) { head -> Int32 in
        guard ozu_send(OZU_WORKER_SOCKET, head.baseAddress, head.count, nil, 0, nil, 0) == 0 else {
          return -1
        }
        return ozu_receive_bytes(OZU_WORKER_SOCKET, head.baseAddress, head.count, true)
      }
      // The asking process has ended, or does not want the answer any more.
      guard answer == WorkerHead.byteCount, head.kind == .grown,
        let length = Int(exactly: head.outputByteCount),
        length >= byteCount
      else { _exit(0) }
      if let address { munmap(address, mappedByteCount) }
      (address, mappedByteCount) = (nil, 0)
      _ = ozu_allow_shared(UInt64(length))
      guard let new = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, OZU_WORKER_OUTPUT, 0),
        new != MAP_FAILED
      else { return false }
      (address, mappedByteCount) = (new, length)
      return true
    }
  }
#endif
