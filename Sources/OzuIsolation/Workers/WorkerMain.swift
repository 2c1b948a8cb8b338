#if os(Linux) && canImport(CIsolation)
  import CIsolation

  /// The first line of the `main` of a helper.
  package enum WorkerMain {
    /// Does the work of the zygote and its workers when the arguments of the program ask for it, and does not return then.
    ///
    /// Must come before anything that starts a thread.
    package static func runIfHelper(_ arguments: [String], handler: () -> some WorkerHandling) {
      guard arguments.last == WorkerHelper.argument, ozu_is_datagram_socket(OZU_WORKER_SOCKET) else { return }
      var zygote = Zygote(handler())
      zygote.run()
    }
  }
#endif
