#if canImport(Darwin)
  import Foundation
  import OzuBase

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// The HTTP client on Apple platforms: `URLSession` behind `HTTPClient`.
  ///
  /// By default the session stores nothing: no cache, no cookies, no credentials; higher layers decide about them. The
  /// system manages connections, HTTP/2 and HTTP/3. An app that signs in with cookies, pins certificates or registers a
  /// `URLProtocol` gives a configuration of its own (`init(configuration:session:challenge:)`), and the client to its pipeline
  /// (`network.httpClient`).
  ///
  /// Threads and ownership
  /// - The session calls its delegate on one serial queue. A `URLSessionTransfer` belongs to that queue; only its
  ///   completion, which the caller's task also uses, has a lock.
  /// - The delegate keeps each transfer from before its task resumes until `didComplete`. The system calls that
  ///   exactly once, cancelled or not, and only this call completes the transfer.
  /// - The session retains its delegate until it is invalidated, which `deinit` does.
  ///
  /// Differences from the client on Linux: `HTTPTimeouts.connect` is part of `idle`, the version is known only when
  /// the response is complete, and repeated header lines arrive joined. The system handles content codings and the
  /// framing of bodies: a coding that ends early may count as complete. It chooses the version of HTTP (`isHTTP2Enabled` has no
  /// effect), and sends a `User-Agent` of its own where `userAgent` is nil.
  public final class URLSessionClient: HTTPClient {
    /// The shared client of the process, with the default settings.
    public static let shared = URLSessionClient()

    /// The settings of the client.
    public let configuration: HTTPClientConfiguration
    private let session: URLSession
    private let delegate: URLSessionTransferDelegate
    private let semaphore: StartSemaphore

    /// The answer to a question of the system: for a certificate, a name, a password.
    public typealias ChallengeHandler =
      @Sendable (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Makes a client with its own connections and limits.
    ///
    /// - Parameters:
    ///   - configuration: limits, proxy and rules.
    ///   - session: the settings of the session, for cookies, protocols, connectivity; `nil` (the default) for one that
    ///     stores nothing. Its cache is not used: Ozu has its own. The limits and the proxy of `configuration` are set in it,
    ///     and its name if the session's own fields have none.
    ///   - challenge: answers challenges of servers; by default the system does.
    public init(
      configuration: HTTPClientConfiguration = HTTPClientConfiguration(),
      session own: URLSessionConfiguration? = nil, challenge: ChallengeHandler? = nil
    ) {
      self.configuration = configuration
      let settings = configuration.applied(to: own)
      delegate = URLSessionTransferDelegate(challenge, handlesCookies: settings.httpCookieStorage != nil)
      // The session itself limits the connections per host.
      semaphore = StartSemaphore(
        maximumActive: configuration.maximumConcurrentRequests, maximumActivePerOrigin: .max)
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.name = "ozu.http"
      // By default a queue has the lowest level, whose threads wait for all others; people wait for these pictures.
      queue.qualityOfService = .userInitiated
      session = URLSession(configuration: settings, delegate: delegate, delegateQueue: queue)
    }

    deinit {
      session.invalidateAndCancel()
    }

    /// Sends a request and streams the response's body into a sink, on the session's delegate queue.
    ///
    /// - Throws: `HTTPError`; `cancelled` also if the client is shut down.
    public func send(
      _ request: HTTPRequest, into sink: any HTTPBodySink
    ) async throws(HTTPError) -> HTTPResponse {
      let origin = try request.validatedOrigin()
      try configuration.hostRule.check(request.url)
      // Settings that restrict the reachable servers must not be ignored silently.
      if case .file = configuration.certificateAuthorities {
        throw HTTPError(.tlsFailed("certificate authorities from a file are not supported"), url: request.url)
      }
      guard configuration.networkGuard == .off else {
        throw HTTPError(.addressRefused("an unknown address"), url: request.url)
      }
      let isAdmitted =
        request.hasPlace
        ? semaphore.pass(origin: origin)
        : await semaphore.enter(origin: origin, priority: request.priority)
      guard isAdmitted else {
        throw HTTPError(.cancelled, url: request.url)
      }
      defer { semaphore.leave(origin: origin) }
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

    /// Shuts the client down: running, waiting and later requests throw `cancelled`.
    ///
    /// Returns after the session has released everything. A second call waits for the same.
    public func shutdown() async {
      semaphore.close()
      delegate.refuseNew()
      session.invalidateAndCancel()
      await delegate.invalidated.wait()
    }

    /// The requests that run and wait now.
    public var statistics: HTTPClientStatistics {
      semaphore.statistics
    }
  }

  extension HTTPClientConfiguration {
    /// The settings for a session, made from the app's, or from none, which stores nothing.
    fileprivate func applied(to own: URLSessionConfiguration?) -> URLSessionConfiguration {
      let result = own?.copy() as? URLSessionConfiguration ?? .ephemeral
      result.urlCache = nil
      result.requestCachePolicy = .reloadIgnoringLocalCacheData
      if own == nil {
        result.httpCookieStorage = nil
        result.httpShouldSetCookies = false
        result.httpCookieAcceptPolicy = .never
        result.urlCredentialStorage = nil
      }
      result.httpMaximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
      if let userAgent {
        let own = result.httpAdditionalHeaders ?? [:]
        result.httpAdditionalHeaders = own.merging(["User-Agent": userAgent]) { own, _ in own }
      }
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
