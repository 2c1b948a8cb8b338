#if os(Linux)
  import CCurl
  import OzuBase

  /// The facts about a failed hop, and the error that follows from them.
  struct CurlFailure {
    var code: CURLcode
    var systemError: Int32 = 0
    var message = ""
    var isConnected = false
    var isHeadComplete = false
    var bodyByteCount = 0
    var expectedByteCount: Int?
    /// The proxy, and its answer to CONNECT; nil and 0 for none.
    var proxy: String?
    var connectStatus = 0
    var host = ""
    /// OpenSSL's result of the verification (`X509_V_ERR_…`), as libcurl hands it on; 1 before there is one, 0 without.
    var verification = 0
    /// The path of the trusted authorities.
    var authorities: String?

    var reason: HTTPError.Reason {
      switch code {
      case _ where connectStatus >= 300:
        .proxyFailed(
          proxy: proxy ?? "of the environment",
          why: "answered \(connectStatus)\(connectStatus == 407 ? " (it wants a name and a password)" : "")")
      case CURLE_URL_MALFORMAT:
        .invalidURL
      case CURLE_COULDNT_RESOLVE_HOST:
        .nameNotResolved
      case CURLE_COULDNT_CONNECT:
        connectionReason
      case CURLE_COULDNT_RESOLVE_PROXY:
        .proxyFailed(proxy: proxy ?? "of the environment", why: "has a name that could not be resolved")
      case CURLE_PROXY:
        .proxyFailed(proxy: proxy ?? "of the environment", why: "would not connect: \(message)")
      case CURLE_INTERFACE_FAILED:
        .connectionFailed(message)
      case CURLE_OPERATION_TIMEDOUT:
        // The only time limit of libcurl that is set; the reactor enforces the others.
        .timedOut(.connect)
      case ozu_curl_too_large,
        CURLE_OUT_OF_MEMORY where isConnected && !isHeadComplete:
        // libcurl gave up on a line before its end. Before 8.6 it has no code of its own for that. The line was not one of
        // the request, which is never that long (`HTTPRequest.maximumHeadByteCount`).
        .protocolError("a line of the header section is too long")
      case CURLE_PARTIAL_FILE:
        .bodyTruncated(received: bodyByteCount, expected: expectedByteCount)
      case CURLE_HTTP2_STREAM where isHeadComplete:
        .bodyTruncated(received: bodyByteCount, expected: expectedByteCount)
      case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
        isHeadComplete
          ? .bodyTruncated(received: bodyByteCount, expected: expectedByteCount) : .connectionLost
      // The scheme was checked before, so the unsupported protocol is the one that the server speaks.
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2,
        CURLE_HTTP2_STREAM,
        CURLE_HTTP3:
        .protocolError(message)
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE,
        CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
        CURLE_USE_SSL_FAILED:
        .tlsFailed(tlsText)
      default:
        .other(code: Int(code.rawValue), message: message)
      }
    }

    private var connectionReason: HTTPError.Reason {
      let isRefused = systemError == ECONNREFUSED
      var words = systemError == 0 ? message : systemMessage(systemError)
      if systemError != 0, let first = words.first { words = first.lowercased() + words.dropFirst() }
      if let proxy {
        return .proxyFailed(
          proxy: proxy, why: isRefused ? "refused the connection" : "cannot be reached: \(words)")
      }
      return isRefused ? .connectionRefused : .connectionFailed(words)
    }

    /// The reason why TLS could not be set up, as a text for people.
    var tlsText: String {
      switch verification {
      case 10:
        return "its certificate expired; its owner has to renew it, unless this machine's clock is wrong"
      case 9: return "its certificate is not valid yet; is this machine's clock right?"
      case 18: return "its certificate is signed by itself, not by an authority; \(Self.trustHint)"
      case 2, 19, 20, 21: return "its certificate comes from an unknown issuer; \(Self.trustHint)"
      case 23: return "its certificate has been revoked"
      default: break
      }
      if code == CURLE_PEER_FAILED_VERIFICATION, isChainAccepted {
        return "its certificate is for another host than \(host)"
      }
      if code == CURLE_SSL_CACERT_BADFILE {
        return "the certificate authorities\(authorities.map { " in \($0)" } ?? "") cannot be read"
      }
      return message
    }

    private static let trustHint =
      "to trust it, name its authority (certificateAuthorities, --cacert or SSL_CERT_FILE)"

    // libcurl compares the host itself after OpenSSL has accepted the chain, and before it asks for OpenSSL's result: that
    // is 1 then. 62 and 64 are OpenSSL's own results for a host and an IP address that differ. 0 may come from another library, of
    // which nothing is known.
    private var isChainAccepted: Bool { [1, 62, 64].contains(verification) }
  }

  extension CurlTransfer {
    /// The reason why its hop failed.
    func reason(for code: CURLcode, _ handle: CurlHandle) -> HTTPError.Reason {
      let message = handle.message(for: code)
      let connectStatus = ozu_curl_long(handle.raw, CURLINFO_HTTP_CONNECTCODE)
      let isProxyCertain = connectStatus != 0 || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY
      let configuration = handle.configuration
      return CurlFailure(
        code: code, systemError: Int32(truncatingIfNeeded: ozu_curl_long(handle.raw, CURLINFO_OS_ERRNO)),
        message: message, isConnected: timing.isConnected, isHeadComplete: head.isComplete,
        bodyByteCount: encodedByteCount,
        expectedByteCount: expectedByteCount,
        proxy: CurlProxyName.text(
          configuration, origin: origin, connectingPort: isProxyCertain ? nil : connectingPort),
        connectStatus: connectStatus, host: hop.url.shownHost ?? origin.host,
        verification: ozu_curl_long(handle.raw, CURLINFO_SSL_VERIFYRESULT),
        authorities: configuration.authoritiesPath ?? ozu_curl_authorities().map { String(cString: $0) }
      ).reason
    }
  }

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
