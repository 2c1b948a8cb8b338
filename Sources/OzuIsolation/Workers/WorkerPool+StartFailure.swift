#if os(Linux) && canImport(CIsolation)
  import OzuImaging
  import OzuText

  extension WorkerPool {
    /// Why there is no worker.
    enum StartFailure: Error {
      /// The zygote has ended; another one can be tried.
      case zygoteGone
      case failed(String)
      /// A closure of the caller threw.
      case refused(DecodingError)

      /// A call that failed with the number of an error.
      init(_ call: String, _ code: Int32) { self = .failed("\(call): \(systemMessage(code))") }
    }
  }
#endif
