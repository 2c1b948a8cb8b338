#if os(Linux)
  import CCurl

  /// A libcurl multi handle: the connection pool and the running transfers. Only the loop's thread uses it.
  struct CurlMulti {
    /// The error that libcurl cannot be used.
    struct Unavailable: Error {
      /// The name of the missing library, or the message of libcurl.
      var message: String
    }

    let handle: UnsafeMutableRawPointer
    let waker: LoopWaker

    /// Makes a handle, and keeps the waker until `close`. The first call in a process loads libcurl, which takes
    /// milliseconds.
    init(configuration: HTTPClientConfiguration, waker: LoopWaker) throws(Unavailable) {
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
