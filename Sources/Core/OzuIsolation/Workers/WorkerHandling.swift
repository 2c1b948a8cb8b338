#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase

  /// The work of a helper program: prepared in the zygote, done in workers.
  package protocol WorkerHandling {
    /// Called in the zygote before the first worker of a kind is forked, when nothing is restricted yet. It loads
    /// libraries and opens fonts, which no worker could do. It must not start threads.
    ///
    /// - Returns: whether everything was found; otherwise it is called again before the next worker.
    mutating func prepare(_ kind: WorkerKind) -> Bool

    /// The files and folders that workers of a kind may read, with everything below them. Called only for kinds
    /// that read fonts.
    func readablePaths(_ kind: WorkerKind) -> [String]

    /// Answers a request in a worker.
    ///
    /// - Parameters:
    ///   - body: shared memory, valid until the next call with another number.
    ///   - output: provides memory for a payload.
    /// - Returns: the message of the answer, at most `WorkerRequest.messageByteCount` bytes.
    mutating func answer(
      message: Data, body: UnsafeRawBufferPointer, bodyNumber: UInt64, output: WorkerOutput
    ) -> Data
  }

  extension WorkerHandling {
    package func readablePaths(_ kind: WorkerKind) -> [String] { FontPaths.all }
  }

  /// The usual folders of fonts and of fontconfig's files.
  package enum FontPaths {
    /// The variable of a helper's environment with the folders of the app, with colons between them.
    static let variable = "OZU_FONT_FOLDERS"

    package static var all: [String] {
      let home = absolute("HOME")
      let data = absolute("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }
      let configuration = absolute("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
      let cache = absolute("XDG_CACHE_HOME") ?? home.map { $0 + "/.cache" }
      let own = [
        home.map { $0 + "/.fonts" }, data.map { $0 + "/fonts" }, configuration.map { $0 + "/fontconfig" },
        cache.map { $0 + "/fontconfig" }, absolute("FONTCONFIG_PATH"), absolute("FONTCONFIG_FILE"),
      ]
      let folders = (getenv(variable).map { String(cString: $0) } ?? "").split(separator: ":").map(
        String.init)
      return [
        "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig",
        "/var/cache/fontconfig",
        "/usr/share/texmf/fonts", "/usr/X11R6/lib/X11/fonts",
      ] + own.compactMap(\.self) + folders.filter { $0.hasPrefix("/") }
    }

    private static func absolute(_ name: String) -> String? {
      guard let text = getenv(name).map({ String(cString: $0) }), text.hasPrefix("/") else { return nil }
      return text
    }
  }

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
