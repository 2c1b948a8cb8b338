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
      await loop.stopped()
    }

    /// The requests that run and wait now.
    public var statistics: HTTPClientStatistics {
      HTTPClientStatistics(
        activeRequestCount: loop.counters.active.load(ordering: .relaxed),
        waitingRequestCount: loop.counters.waiting.load(ordering: .relaxed))
    }

    /// The number of libcurl's easy handles, including those in the pool.
    var handleCount: Int {
      loop.counters.handles.load(ordering: .relaxed)
    }
  }

  /// Counters that any thread may read. The loop's thread writes them.
  final class CurlCounters: Sendable {
    let active = Atomic(0)
    let waiting = Atomic(0)
    let handles = Atomic(0)
  }
#endif
