#if os(Linux)
  import CCurl

  import OzuBase

  /// The end of a hop.
  extension CurlTransfer {
    /// The result of a hop: the end of the exchange, or the request and the origin of the next hop.
    enum Outcome {
      case finished(Result<HTTPResponse, HTTPError>)
      case redirected((request: HTTPRequest, origin: HTTPOrigin))
    }

    /// Reads the results from the handle, which is still attached, and decides the next step.
    func endHop(_ code: CURLcode, _ handle: CurlHandle, at now: ContinuousClock.Instant) -> Outcome {
      if let failure { return .finished(.failure(failure)) }
      // The body of a redirect may have been cut off here, or be malformed: only its head counts.
      if case .follow(let next) = decision {
        redirectCount += 1
        do throws(HTTPError) {
          return .redirected((next, try HTTPOrigin(of: next.url)))
        } catch {
          return .finished(.failure(error))
        }
      }
      guard code == CURLE_OK else {
        if let refusedAddress, !head.isComplete {
          return .finished(.failure(HTTPError(.addressRefused(refusedAddress))))
        }
        return .finished(.failure(HTTPError(reason(for: code, handle))))
      }
      // libcurl treats the end of the connection as the end of the header section.
      guard head.isComplete else {
        let isCut = head.isInSection || head.status == 0
        return .finished(
          .failure(
            HTTPError(isCut ? .connectionLost : .protocolError("status \(head.status) is not a final status"))
          ))
      }
      let isWhole = expectedByteCount.map { $0 == encodedByteCount } ?? chunks?.isEnded ?? true
      guard isWhole else {
        return .finished(
          .failure(HTTPError(.bodyTruncated(received: encodedByteCount, expected: expectedByteCount))))
      }
      // A body without bytes is an empty body in any coding.
      if encodedByteCount > 0, let coding = decoder?.unended {
        return .finished(.failure(HTTPError(.contentCodingTruncated(coding: coding.rawValue))))
      }
      return .finished(
        .success(
          HTTPResponse(head: responseHead, bodyByteCount: bodyByteCount, metrics: metrics(handle, at: now))))
    }

    private func reason(for code: CURLcode, _ handle: CurlHandle) -> HTTPError.Reason {
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

    private func metrics(_ handle: CurlHandle, at now: ContinuousClock.Instant) -> HTTPMetrics {
      func instant(_ info: CURLINFO) -> Duration {
        .microseconds(Int64(ozu_curl_offset(handle.raw, info)))
      }
      var metrics = HTTPMetrics()
      let (lookup, connect, tls) = (
        instant(CURLINFO_NAMELOOKUP_TIME_T), instant(CURLINFO_CONNECT_TIME_T),
        instant(CURLINFO_APPCONNECT_TIME_T)
      )
      metrics.isConnectionReused = ozu_curl_long(handle.raw, CURLINFO_NUM_CONNECTS) == 0
      if !metrics.isConnectionReused {
        metrics.nameLookup = lookup
        metrics.connect = max(.zero, connect - lookup)
        metrics.tls = max(.zero, tls - connect)
      }
      metrics.receivedByteCount = encodedByteCount
      metrics.redirectCount = redirectCount
      if let startedAt = timing.startedAt {
        metrics.total = now - startedAt
        metrics.firstByte = timing.firstByteAt.map { $0 - startedAt } ?? .zero
      }
      return metrics
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
