#if os(Linux)
  import CCurl
  import OzuSynchronization

  /// The HTTP client on Linux: libcurl's multi interface on one thread.
  ///
  /// ```swift
  /// let (body, response) = try await CurlClient.shared.data(from: url)
  /// ```
  ///
  /// HTTP/1.1 and, over TLS, HTTP/2; connections are kept and shared by all requests of one client; gzip,
  /// deflate, br and zstd are undone as libcurl was built for. Making a client costs nothing: its thread
  /// starts with the first request and ends with the client.
  ///
  /// Threads and ownership
  /// - `send` runs on the caller's executor. It makes a `CurlTransfer`, puts `.start` into the inbox of the
  ///   `CurlLoop` (a `Mutex`), wakes the loop's thread, and suspends.
  /// - The loop's thread alone touches libcurl's handles and, from `.start` on, the transfer's mutable state;
  ///   the `CurlReactor` that does it lives on that thread's stack. Sinks are called there.
  /// - A request whose priority changes puts `.prioritize` there; it counts while the request waits.
  /// - A sink that is not ready pauses its transfer inside libcurl, whose socket then fills up; its resumption puts
  ///   `.resume` into the inbox.
  /// - Cancelling puts `.cancel` into the same inbox. It may overtake `.start`; the transfer then remembers
  ///   it. Because one thread applies both in order, a transfer is completed exactly once without further
  ///   locks.
  /// - While a transfer is attached to an easy handle, the `CurlHandle` keeps it (until `CurlReactor.detach`) and is itself
  ///   what libcurl's callbacks get, so that they never meet a dead object.
  /// - The thread owns the loop, the client does not own the thread: `deinit` asks it to end, and it takes
  ///   its handles and sockets with it.
  public final class CurlClient: HTTPClient {
    /// The client of the process, with the default settings.
    public static let shared = CurlClient()

    /// The settings the client was made with.
    public let configuration: HTTPClientConfiguration
    private let addressFilter: AddressFilter?
    private let loop: CurlLoop

    /// Makes a client with its own connections and bounds.
    public convenience init(configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
      self.init(configuration: configuration, addressFilter: configuration.networkGuard.filter)
    }

    /// Makes a client that connects to what a filter lets through.
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
    /// - Throws: `HTTPError`; `cancelled` also when the client is shut down.
    public func send(
      _ request: HTTPRequest, into sink: any HTTPBodySink
    ) async throws(HTTPError) -> HTTPResponse {
      let origin = try request.validatedOrigin()
      try configuration.hostRule.check(request.url)
      guard !Task.isCancelled else { throw HTTPError(.cancelled, url: request.url) }
      let transfer = CurlTransfer(
        request: request, origin: origin, sink: sink, loop: loop, addressFilter: addressFilter,
        hostRule: configuration.hostRule)
      let live = request.livePriority?.source
      let observation = live?.observe { [loop] in _ = loop.submit(.prioritize(transfer)) }
      defer { if let observation { live?.removeObserver(observation) } }
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

    /// Ends the client: running and waiting requests throw `cancelled`, later ones too.
    ///
    /// Returns when the thread has ended and every connection is closed. Calling it again waits for the same.
    public func shutdown() async {
      loop.stop()
      await loop.stopped()
    }

    /// What the client is busy with at this moment.
    public var statistics: HTTPClientStatistics {
      HTTPClientStatistics(
        activeRequestCount: loop.counters.active.load(ordering: .relaxed),
        waitingRequestCount: loop.counters.waiting.load(ordering: .relaxed))
    }

    /// How many of libcurl's transfer handles exist, pooled ones included.
    var handleCount: Int {
      loop.counters.handles.load(ordering: .relaxed)
    }
  }

  /// Counters for others to read, written by the loop's thread.
  final class CurlCounters: Sendable {
    let active = Atomic(0)
    let waiting = Atomic(0)
    let handles = Atomic(0)
  }
#endif
