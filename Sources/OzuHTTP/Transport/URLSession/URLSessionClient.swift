#if canImport(Darwin)
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// The HTTP client on Apple platforms: `URLSession` behind `HTTPClient`.
  ///
  /// The session keeps nothing: no cache, no cookies, no credentials; those are decided above. Connections,
  /// HTTP/2 and HTTP/3 are the system's.
  ///
  /// Threads and ownership
  /// - The session calls its delegate on one serial queue. A `URLSessionTransfer` belongs to that queue; only
  ///   its completion, which the caller's task also touches, is locked.
  /// - The delegate holds each transfer from before its task resumes until `didComplete`, which the system
  ///   sends exactly once, cancelled or not; that call alone completes the transfer.
  /// - The session retains its delegate until it is invalidated, which `deinit` does.
  ///
  /// Differences from the client on Linux: `HTTPTimeouts.connect` is part of `idle`, the version is known
  /// only when the response is complete, and repeated header lines arrive joined. Content codings and the framing of
  /// bodies are the system's: a coding that ends early may pass for whole.
  public final class URLSessionClient: HTTPClient {
    /// The client of the process, with the default settings.
    public static let shared = URLSessionClient()

    /// The settings the client was made with.
    public let configuration: HTTPClientConfiguration
    private let session: URLSession
    private let delegate: URLSessionTransferDelegate
    private let turnstile: StartTurnstile

    /// Makes a client with its own connections and bounds.
    public init(configuration: HTTPClientConfiguration = HTTPClientConfiguration()) {
      self.configuration = configuration
      delegate = URLSessionTransferDelegate()
      // The session bounds the connections per host itself.
      turnstile = StartTurnstile(
        maximumActive: configuration.maximumConcurrentRequests, maximumActivePerOrigin: .max)
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.name = "ozu.http"
      session = URLSession(
        configuration: configuration.sessionConfiguration, delegate: delegate, delegateQueue: queue)
    }

    deinit {
      session.invalidateAndCancel()
    }

    /// Sends a request and streams the response's body into a sink, on the session's delegate queue.
    ///
    /// - Throws: `HTTPError`; `cancelled` also when the client is shut down.
    public func send(
      _ request: HTTPRequest, into sink: any HTTPBodySink
    ) async throws(HTTPError) -> HTTPResponse {
      let origin = try request.validatedOrigin()
      try configuration.hostRule.check(request.url)
      // Settings that narrow what may be reached must not be passed over in silence.
      if case .file = configuration.certificateAuthorities {
        throw HTTPError(.tlsFailed("certificate authorities from a file are not supported"), url: request.url)
      }
      guard configuration.networkGuard == .off else {
        throw HTTPError(.addressRefused("an unknown address"), url: request.url)
      }
      let isAdmitted =
        request.hasPlace
        ? turnstile.pass(origin: origin)
        : await turnstile.enter(origin: origin, priority: request.priority, live: request.livePriority)
      guard isAdmitted else {
        throw HTTPError(.cancelled, url: request.url)
      }
      defer { turnstile.leave(origin: origin) }
      guard let transfer = delegate.begin(request, into: sink, on: session, hostRule: configuration.hostRule)
      else {
        throw HTTPError(.cancelled, url: request.url)
      }
      return try await withTaskCancellationHandler {
        await transfer.run()
      } onCancel: {
        transfer.task.cancel()
      }.get()
    }

    /// Ends the client: running and waiting requests throw `cancelled`, later ones too.
    ///
    /// Returns when the session has let go of everything. Calling it again waits for the same.
    public func shutdown() async {
      turnstile.close()
      delegate.refuseNew()
      session.invalidateAndCancel()
      await delegate.invalidated()
    }

    /// What the client is busy with at this moment.
    public var statistics: HTTPClientStatistics {
      turnstile.statistics
    }
  }

  extension HTTPClientConfiguration {
    fileprivate var sessionConfiguration: URLSessionConfiguration {
      let result = URLSessionConfiguration.ephemeral
      result.urlCache = nil
      result.requestCachePolicy = .reloadIgnoringLocalCacheData
      result.httpCookieStorage = nil
      result.httpShouldSetCookies = false
      result.httpCookieAcceptPolicy = .never
      result.urlCredentialStorage = nil
      result.httpMaximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
      if let userAgent { result.httpAdditionalHeaders = ["User-Agent": userAgent] }
      switch proxy {
      case .environment:
        break
      case .none:
        result.connectionProxyDictionary = [:]
      case .url(let url):
        var settings: [AnyHashable: Any] = [:]
        for scheme in ["HTTP", "HTTPS"] {
          settings[scheme + "Enable"] = 1
          settings[scheme + "Proxy"] = url.host() ?? ""
          settings[scheme + "Port"] = url.port ?? 80
        }
        result.connectionProxyDictionary = settings
      }
      return result
    }
  }
#endif
