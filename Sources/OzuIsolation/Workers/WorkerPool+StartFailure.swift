#if os(Linux) && canImport(CIsolation)
  import OzuImaging
  import OzuText

  extension WorkerPool {
    /// Why there is no worker.
    enum StartFailure: Error {
      /// The zygote has ended; it can be started again.
      case zygoteGone
      case failed(String)
      /// A closure of the caller threw.
      case refused(DecodingError)

      /// A system call that failed, with its error number.
      init(_ call: String, _ code: Int32) { self = .failed("\(call): \(systemMessage(code))") }
    }
  }
#endif
