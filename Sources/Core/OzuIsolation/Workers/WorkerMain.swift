#if os(Linux) && canImport(CIsolation)
  import CIsolation

  /// The first line of the `main` of a helper.
  package enum WorkerMain {
    /// Does the work of the zygote and its workers, and does not return, if the arguments of the program ask for it.
    /// Otherwise it does nothing.
    ///
    /// Must come before anything that starts a thread.
    ///
    /// - Parameter handler: makes the handler. Its argument says whether it runs on a deep stack, on which
    ///   libraries can recurse without a thread of their own: at least 16 MB.
    package static func runIfHelper(
      _ arguments: [String], handler: @escaping (_ hasDeepStack: Bool) -> some WorkerHandling
    ) {
      guard arguments.last == WorkerHelper.argument, ozu_is_datagram_socket(OZU_WORKER_SOCKET) else { return }
      let work = Work {
        var zygote = Zygote(handler($0))
        zygote.run()
      }
      // Retained until the call returns, which never happens.
      let context = Unmanaged.passRetained(work).toOpaque()
      ozu_call_on_deep_stack(
        { context, isDeep in
          if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().body(isDeep) }
        }, context)
    }

    /// A closure in a form that C can hold.
    private final class Work {
      let body: (Bool) -> Void
      init(_ body: @escaping (Bool) -> Void) { self.body = body }
    }
  }
#endif
