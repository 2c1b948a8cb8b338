#if canImport(Darwin)
  import Darwin
  import Foundation

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension URLRequest {
    /// Converts a request for the session.
    ///
    /// - Parameter handlesCookies: whether the session has a cookie storage.
    init(_ request: HTTPRequest, handlesCookies: Bool) {
      self.init(url: request.url, timeoutInterval: request.timeouts.idle.boundedSeconds)
      httpMethod = request.method.rawValue
      httpBody = request.body
      httpShouldHandleCookies = handlesCookies
      allowsConstrainedNetworkAccess = request.allowsConstrainedNetworks
      allowsCellularAccess = request.allowsCellularNetworks
      allowsExpensiveNetworkAccess = request.allowsExpensiveNetworks
      for field in request.endToEndHeaders { addValue(field.value, forHTTPHeaderField: field.name) }
      // The system would offer content codings for a range too, and the offsets count the bytes of the picture.
      if request.headers.contains(name: "Range"), !request.headers.contains(name: "Accept-Encoding") {
        setValue("identity", forHTTPHeaderField: "Accept-Encoding")
      }
    }
  }

  extension HTTPHeaders {
    /// The fields of a response. The system returns them in any order; sorting makes the order the same every time.
    init(_ response: HTTPURLResponse) {
      self.init(
        response.allHeaderFields
          .compactMap { name, value in
            (name as? String).map { Field(name: $0, value: String(describing: value)) }
          }
          .sorted { $0.name < $1.name })
    }
  }

  extension HTTPMetrics {
    init(_ task: URLSessionTaskMetrics, redirectCount: Int) {
      self.init()
      self.redirectCount = redirectCount
      total = .seconds(task.taskInterval.duration)
      guard let last = task.transactionMetrics.last else { return }
      func span(_ start: Date?, _ end: Date?) -> Duration {
        guard let start, let end else { return .zero }
        return .seconds(max(0, end.timeIntervalSince(start)))
      }
      isConnectionReused = last.isReusedConnection
      nameLookup = span(last.domainLookupStartDate, last.domainLookupEndDate)
      connect = span(last.connectStartDate, last.secureConnectionStartDate ?? last.connectEndDate)
      tls = span(last.secureConnectionStartDate, last.secureConnectionEndDate)
      firstByte = span(task.taskInterval.start, last.responseStartDate)
      receivedByteCount = Int(last.countOfResponseBodyBytesReceived)
    }
  }

  extension Duration {
    /// Seconds, limited to the range of the system's timers.
    var boundedSeconds: Double { min(max(0, inSeconds), 1e8) }
  }

  /// The facts about a failed task, and the error that follows from them.
  struct URLSessionFailure {
    var error: any Error
    var isHeadComplete = false
    var bodyByteCount = 0
    var expectedByteCount: Int?

    var reason: HTTPError.Reason {
      guard let error = error as? URLError else {
        return .other(code: (error as NSError).code, message: error.localizedDescription)
      }
      if error.networkUnavailableReason == .constrained { return .constrainedNetwork }
      let message = error.localizedDescription
      return switch error.code {
      case .cancelled: .cancelled
      case .badURL: .invalidURL
      case .unsupportedURL: .unsupportedScheme(message)
      case .timedOut: .timedOut(.idle)
      case .cannotFindHost, .dnsLookupFailed: .nameNotResolved
      case .cannotConnectToHost: .connectionRefused
      case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive:
        .connectionFailed(message)
      case .networkConnectionLost:
        isHeadComplete
          ? .bodyTruncated(received: bodyByteCount, expected: expectedByteCount) : .connectionLost
      case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
        .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
        .tlsFailed(message)
      case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
        .zeroByteResource:
        .protocolError(message)
      default: .other(code: error.errorCode, message: message)
      }
    }
  }
#endif
