#if os(Linux) && canImport(CIsolation)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

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
#endif
