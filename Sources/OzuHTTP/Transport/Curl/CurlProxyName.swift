#if os(Linux)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Which proxy a transfer goes through, for messages. libcurl says so from version 8.7 on only.
  enum CurlProxyName {
    /// `host:port`, or nil if the transfer has no proxy.
    ///
    /// - Parameters:
    ///   - message: libcurl's words about a connection that failed. They name whom it connected to, which tells whether
    ///     `no_proxy` had it connect to the origin; nil where there is no doubt about the proxy.
    static func text(
      _ configuration: HTTPClientConfiguration, origin: HTTPOrigin, message: String?,
      environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
      switch configuration.networkGuard == .off ? configuration.proxy : .none {
      case .none: return nil
      case .url(let url): return text(url).map { "\($0.host):\($0.port)" }
      case .environment:
        // The order of libcurl. HTTP_PROXY in capitals may come from a request to a CGI script, and does not count.
        let names = origin.isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        let values = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }
        guard let value = values.first(where: { !$0.isEmpty }),
          let proxy = URL(string: value.contains("://") ? value : "http://" + value).flatMap(text)
        else { return nil }
        let name = proxy.host.filter { !"[]".contains($0) }
        guard message?.contains(" \(name) port \(proxy.port) ") ?? true else { return nil }
        return "\(proxy.host):\(proxy.port)"
      }
    }

    private static func text(_ url: URL) -> (host: String, port: Int)? {
      // 1080 is libcurl's own default.
      url.shownHost.map { ($0, url.port ?? 1080) }
    }
  }
#endif
