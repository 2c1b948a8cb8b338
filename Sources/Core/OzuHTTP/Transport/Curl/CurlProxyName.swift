#if os(Linux)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Finds the proxy of a transfer, for messages. libcurl reports whether it used one only from version 8.7 on.
  enum CurlProxyName {
    /// `host:port`, or nil if the transfer has no proxy.
    ///
    /// - Parameters:
    ///   - connectingPort: the port to which libcurl began to connect. It shows whether `no_proxy` made it connect to
    ///     the origin, unless proxy and origin have the same port. Nil if the proxy is certain.
    static func text(
      _ configuration: HTTPClientConfiguration, origin: HTTPOrigin, connectingPort: Int?,
      environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
      switch configuration.networkGuard == .off ? configuration.proxy : .none {
      case .none: return nil
      case .url(let url): return text(url).map { "\($0.host):\($0.port)" }
      case .environment:
        // libcurl's order. HTTP_PROXY in capitals may come from a request to a CGI script, so it is ignored.
        let names = origin.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        let values = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }
        guard let value = values.first(where: { !$0.isEmpty }),
          let proxy = URL(string: value.contains("://") ? value : "http://" + value).flatMap(text)
        else { return nil }
        guard connectingPort == nil || connectingPort == proxy.port else { return nil }
        return "\(proxy.host):\(proxy.port)"
      }
    }

    private static func text(_ url: URL) -> (host: String, port: Int)? {
      // 1080 is libcurl's default port.
      url.shownHost.map { ($0, url.port ?? 1080) }
    }
  }
#endif
