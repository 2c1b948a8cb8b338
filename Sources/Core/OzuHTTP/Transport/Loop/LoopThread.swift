#if os(Linux)
  import CCurl

  import OzuBase

  /// Starts the thread of an I/O loop.
  package enum LoopThread {
    private final class Body: Sendable {
      let name: String
      let run: @Sendable () -> Void

      init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
      }
    }

    /// Runs the closure on a new detached thread. Returns false if the system cannot make one.
    ///
    /// - Parameter name: the name in debuggers and top(1), at most 15 characters.
    package static func start(named name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
      let body = Unmanaged.passRetained(Body(name: name, run: run))
      var thread = pthread_t()
      let status = pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
          // With CURLOPT_NOSIGNAL libcurl does not handle SIGPIPE, and a TLS library that writes to a closed
          // connection would end the process.
          var signals = sigset_t()
          sigemptyset(&signals)
          sigaddset(&signals, SIGPIPE)
          pthread_sigmask(SIG_BLOCK, &signals, nil)
          ozu_curl_name_thread(body.name)
          body.run()
          return nil
        }, body.toOpaque())
      guard status == 0 else {
        body.release()
        return false
      }
      pthread_detach(thread)
      return true
    }
  }
#endif
