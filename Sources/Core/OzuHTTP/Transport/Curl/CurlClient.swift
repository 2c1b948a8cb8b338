#if os(Linux)
  import CCurl
  import OzuBase

  /// The HTTP client on Linux: libcurl's multi interface on one thread.
  ///
  /// ```swift
  /// let (body, response) = try await CurlClient.shared.data(from: url)
  /// ```
  ///
  /// HTTP/1.1 and, over TLS, HTTP/2. All requests of one client share its connections. The codings gzip, deflate,
  /// br and zstd are decoded. Making a client costs nothing: its thread starts with the first request and ends with
  /// the client.
  ///
  /// Threads and ownership
  /// - `send` runs on the caller's executor. It makes a `CurlTransfer`, puts `.start` into the inbox of the
  ///   `CurlLoop` (guarded by a `Mutex`), wakes the loop's thread, and suspends.
  /// - Only the loop's thread uses libcurl's handles and, after `.start`, the mutable state of the transfer. The
  ///   `CurlReactor` that does this lives on the stack of that thread. Sinks are called there.
  /// - A sink that is not ready pauses its transfer inside libcurl, whose socket then fills up. When the sink is
  ///   ready again, `.resume` goes into the inbox.
  /// - Cancelling puts `.cancel` into the same inbox. It may arrive before `.start`; then the transfer remembers
  ///   it. One thread handles both in order, so a transfer is completed exactly once without further locks.
  /// - While a transfer is attached to an easy handle, the `CurlHandle` keeps it alive (until
  ///   `CurlReactor.detach`). libcurl's callbacks get the `CurlHandle`, so they never use a freed object.
  /// - The thread owns the loop; the client does not own the thread. `deinit` asks the thread to end, and the
  ///   thread closes its handles and sockets.
  public final class CurlClient: HTTPClient {
    /// The shared client of the process, with the default settings.
    public static let shared = CurlClient()

    /// The settings of the client.
    public let configuration: HTTPClientConfiguration
    private let addressFilter: AddressFilter?
    private let loop: CurlLoop

    /// Makes a client with its own connections and limits.
    public convenience init(configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
      self.init(configuration: configuration, addressFilter: configuration.networkGuard.filter)
    }

    /// Makes a client that connects only to addresses that the filter allows.
    init(configuration: HTTPClientConfiguration, addressFilter: AddressFilter?) {
      self.configuration = configuration
      self.addressFilter = addressFilter
      loop = CurlLoop(configuration: configuration)
    }

    deinit {
      loop.stop()
    }

    /// Sends a request and streams the response's body into a sink, on the client's thread.
    ///
    /// - Throws: `HTTPError`; `cancelled` also if the client is shut down.
    public func send(
      _ request: HTTPRequest, into sink: any HTTPBodySink
    ) async throws(HTTPError) -> HTTPResponse {
      let origin = try request.validatedOrigin()
      try configuration.hostRule.check(request.url)
      guard !Task.isCancelled else { throw HTTPError(.cancelled, url: request.url) }
      let transfer = CurlTransfer(
        request: request, origin: origin, sink: sink, loop: loop, addressFilter: addressFilter,
        hostRule: configuration.hostRule)
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          if let reason = loop.submit(.start(transfer, continuation)) {
            continuation.resume(returning: .failure(HTTPError(reason, url: request.url)))
          }
        }
      } onCancel: {
        _ = loop.submit(.cancel(transfer))
      }
      do throws(HTTPError) {
        return try result.get()
      } catch {
        throw error.naming(request.timeouts)
      }
    }

    /// Shuts the client down: running, waiting and later requests throw `cancelled`.
    ///
    /// Returns after the thread has ended and every connection is closed. A second call waits for the same.
    public func shutdown() async {
      loop.stop()
      await loop.stopped.wait()
    }

    /// The requests that run and wait now.
    public var statistics: HTTPClientStatistics {
      HTTPClientStatistics(
        activeRequestCount: loop.counters.active.load(ordering: .relaxed),
        waitingRequestCount: loop.counters.waiting.load(ordering: .relaxed))
    }
  }

  /// Counters that any thread may read. The loop's thread writes them.
  final class CurlCounters: Sendable {
    let active = Atomic(0)
    let waiting = Atomic(0)
  }

  /// The inbox and the thread of a `CurlClient`.
  ///
  /// Any thread may call `submit` and `stop`; they only append under the lock and wake the loop. The thread makes
  /// the multi handle itself: loading libcurl takes milliseconds, and no caller or lock should wait for that.
  final class CurlLoop: Sendable {
    enum Command: Sendable {
      case start(CurlTransfer, CurlTransfer.Completion)
      case cancel(CurlTransfer)
      case resume(CurlTransfer)
    }

    let counters = CurlCounters()
    /// Open when the thread has ended, or has never started and never will.
    let stopped = AsyncLatch()
    private let configuration: HTTPClientConfiguration
    private let inbox = Mutex(LoopInbox<Command>())

    init(configuration: HTTPClientConfiguration) {
      self.configuration = configuration
    }

    /// Puts a command into the inbox; the first command starts the thread. Returns the reason why it was refused,
    /// or nil.
    func submit(_ command: Command) -> HTTPError.Reason? {
      switch inbox.withLock({ $0.put(command, startThread: startThread) }) {
      case nil: nil
      case .noDescriptor: Self.failedStart("no descriptor is left")
      case .noThread: Self.failedStart("no thread can be started")
      case .ended: .cancelled
      }
    }

    /// Asks the thread to end. Returns at once; may be called more than once.
    func stop() {
      let hadNoThread = inbox.withLock { inbox in
        let hadEnded = inbox.hasEnded
        inbox.stop()
        return inbox.hasEnded && !hadEnded
      }
      if hadNoThread { stopped.open() }
    }

    private static func failedStart(_ message: String) -> HTTPError.Reason {
      .other(code: Int(CURLE_FAILED_INIT.rawValue), message: message)
    }

    private func startThread(_ waker: LoopWaker) -> Bool {
      LoopThread.start(named: "ozu.http") { [self] in
        do throws(CurlMulti.Unavailable) {
          run(try CurlMulti(configuration: configuration, waker: waker))
          stopped.open()
        } catch {
          failStart(error, waker)
        }
      }
    }

    /// Fails the submitted requests with the reason why libcurl cannot be used. The next request tries again,
    /// because libcurl may be installed by then.
    private func failStart(_ error: CurlMulti.Unavailable, _ waker: LoopWaker) {
      let (commands, hasEnded) = inbox.withLock { inbox in
        let commands = inbox.giveUp()
        return (commands, inbox.hasEnded)
      }
      waker.close()
      for case .start(let transfer, let completion) in commands {
        completion.resume(
          returning: .failure(HTTPError(Self.failedStart(error.message), url: transfer.hop.url)))
      }
      if hasEnded { stopped.open() }
    }

    private func run(_ multi: CurlMulti) {
      let reactor = CurlReactor(multi: multi, configuration: configuration, counters: counters)
      while true {
        let (commands, isStopping) = inbox.withLock { $0.take() }
        for command in commands {
          switch command {
          case .start(let transfer, let completion): reactor.start(transfer, completion)
          case .cancel(let transfer): reactor.cancel(transfer)
          case .resume(let transfer): reactor.resume(transfer)
          }
        }
        if isStopping { break }
        let waitTime = reactor.turn()
        let mayRest = inbox.withLock { $0.mayRest() }
        reactor.wait(milliseconds: mayRest ? waitTime : 0)
      }
      reactor.cancelAll()
      inbox.withLock { $0.end() }
      reactor.close()
    }
  }

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

  /// The sockets that libcurl waits for, and the descriptor that wakes the thread.
  ///
  /// libcurl reports every change (`CURLMOPT_SOCKETFUNCTION`), so the list for poll(2) is always up to date.
  /// poll(2) is used instead of epoll(7) because there are few sockets, and reusing a connection would cost two
  /// system calls per request.
  ///
  /// Deliberately not Sendable: only the loop's thread uses it.
  final class CurlSockets {
    /// The first entry is the wake-up descriptor; the others are libcurl's sockets.
    private var entries: [pollfd]
    private var places: [Int32: Int] = [:]
    /// Descriptors with events that were not handled yet.
    private var ready: [Int32] = []

    init(wakeDescriptor: Int32) {
      entries = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// The sockets that libcurl waits for.
    var descriptors: [Int32] { entries.dropFirst().map(\.fd) }

    /// Records the events that libcurl waits for at a socket: `CURL_POLL_IN` and so on.
    func watch(_ descriptor: Int32, for action: Int32) {
      guard action != CURL_POLL_REMOVE else { return forget(descriptor) }
      var events: Int32 = 0
      if action == CURL_POLL_IN || action == CURL_POLL_INOUT { events |= Int32(POLLIN) }
      if action == CURL_POLL_OUT || action == CURL_POLL_INOUT { events |= Int32(POLLOUT) }
      if let place = places[descriptor] {
        entries[place].events = Int16(events)
      } else {
        places[descriptor] = entries.count
        entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
      }
    }

    private func forget(_ descriptor: Int32) {
      guard let place = places.removeValue(forKey: descriptor), let last = entries.popLast() else { return }
      guard place < entries.count else { return }
      entries[place] = last
      places[last.fd] = place
    }

    /// Waits until a socket is ready, the thread is woken or the time is over. Returns false if the time is over.
    func wait(milliseconds: Int32) -> Bool {
      ready.removeAll(keepingCapacity: true)
      guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else {
        // After an error the fields are undefined.
        for place in entries.indices { entries[place].revents = 0 }
        return false
      }
      if entries[0].revents != 0 { LoopWaker.clear(entries[0].fd) }
      for entry in entries.dropFirst() where entry.revents != 0 { ready.append(entry.fd) }
      return true
    }

    /// Calls `body` once with each ready socket and its events (`CURL_CSELECT_IN` and so on). During the calls
    /// libcurl may change the list. A socket that was closed meanwhile is skipped, even if another socket has its
    /// number now.
    func forEachReady(_ body: (Int32, Int32) -> Void) {
      let descriptors = ready
      ready.removeAll(keepingCapacity: true)
      for descriptor in descriptors {
        guard let place = places[descriptor], entries[place].revents != 0 else { continue }
        let events = Int32(entries[place].revents)
        entries[place].revents = 0
        var mask: Int32 = 0
        if events & Int32(POLLIN | POLLHUP) != 0 { mask |= CURL_CSELECT_IN }
        if events & Int32(POLLOUT) != 0 { mask |= CURL_CSELECT_OUT }
        if events & Int32(POLLERR | POLLNVAL) != 0 { mask |= CURL_CSELECT_ERR }
        // Otherwise a closed descriptor would be reported again and again.
        if events & Int32(POLLNVAL) != 0 { forget(descriptor) }
        body(descriptor, mask)
      }
    }
  }
#endif
