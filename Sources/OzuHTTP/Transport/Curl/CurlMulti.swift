#if os(Linux)
  import CCurl

  /// What wakes the thread of a loop: a descriptor that becomes readable.
  ///
  /// Any thread that holds the loop's lock may use it: under it the descriptor is known to be open.
  struct CurlWaker: Sendable {
    /// Readable once the thread has been woken.
    let descriptor: Int32

    /// Nil when there is no descriptor left.
    init?() {
      descriptor = ozu_eventfd()
      guard descriptor >= 0 else { return nil }
    }

    /// Ends the wait of the loop's thread, or the next one.
    func wake() {
      ozu_eventfd_signal(descriptor)
    }

    func close() {
      ozu_eventfd_close(descriptor)
    }
  }

  /// A libcurl multi handle: the connection pool and the transfers in progress. Only the loop's thread uses it.
  struct CurlMulti {
    /// libcurl cannot be used.
    struct Unavailable: Error {
      /// The library that is not installed, or libcurl's words.
      var message: String
    }

    let handle: UnsafeMutableRawPointer
    let waker: CurlWaker

    /// Makes a handle, and keeps the waker until `close`. Loads libcurl where this process has not used it before, which
    /// takes milliseconds.
    init(configuration: HTTPClientConfiguration, waker: CurlWaker) throws(Unavailable) {
      var message = [CChar](repeating: 0, count: 256)
      guard ozu_curl_load(&message, message.count) else {
        let words = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        throw Unavailable(message: String(decoding: words, as: UTF8.self))
      }
      guard let handle = ozu_curl_multi_init() else { throw Unavailable(message: "out of memory") }
      self.handle = handle
      self.waker = waker
      let perHost = max(1, configuration.maximumConnectionsPerHost)
      _ = ozu_curl_multi_set_long(handle, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
      _ = ozu_curl_multi_set_long(
        handle, CURLMOPT_MAXCONNECTS, max(8, configuration.maximumConcurrentRequests))
    }

    /// Frees the handle and its connections.
    func close() {
      ozu_curl_multi_cleanup(handle)
      waker.close()
    }
  }
#endif
