#if os(Linux)
  import CCurl

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// One request on its way: the current hop, its head as it is read, the count of its body.
  ///
  /// Unchecked Sendable: made by `CurlClient.send`, then handed to the loop's thread, which alone touches the
  /// mutable state. The client keeps a reference only to name the transfer in a `.cancel`, and a sink that is behind
  /// one to name it in a `.resume`.
  final class CurlTransfer: @unchecked Sendable {
    typealias Completion = CheckedContinuation<Result<HTTPResponse, HTTPError>, Never>

    enum Phase {
      case fresh, cancelledBeforeStart, waiting, active, finished
    }

    /// How a hop ended: with the exchange, or with the request and origin of the next hop.
    enum Outcome {
      case finished(Result<HTTPResponse, HTTPError>)
      case redirected((request: HTTPRequest, origin: HTTPOrigin))
    }

    /// A redirect's body up to this many bytes is read, so that its connection can be used again.
    private static let maximumRedirectBodyByteCount = 64 << 10

    private let sink: any HTTPBodySink
    private let loop: CurlLoop
    var completion: Completion?
    var phase = Phase.fresh
    var ticket: UInt64 = 0
    var handle: CurlHandle?
    /// The request of the current hop, and where it goes.
    var hop: HTTPRequest
    var origin: HTTPOrigin

    private var head = ResponseHeadParser()
    private var decision = RedirectDecision.deliver
    private var redirectCount = 0
    private var bodyByteCount = 0
    private var uploadOffset = 0
    private var failure: HTTPError?
    private var expectedByteCount: Int?

    var timing: TransferTiming
    private let clock: CurlClock

    /// Which addresses may be connected to, on this hop and on every other; nil for all.
    let addressFilter: AddressFilter?
    private var refusedAddress: String?

    init(
      request: HTTPRequest, origin: HTTPOrigin, sink: any HTTPBodySink, loop: CurlLoop,
      addressFilter: AddressFilter?
    ) {
      hop = request
      self.loop = loop
      clock = loop.clock
      self.addressFilter = addressFilter
      timing = TransferTiming(limits: request.timeouts)
      self.origin = origin
      self.sink = sink
    }

    /// Whether the hop's connection carries more than one exchange at once.
    var isMultiplexed: Bool {
      head.isComplete && (head.version == .http2 || head.version == .http3)
    }

    /// How many bytes go up; zero for a method that means a body and has none; nil for the others.
    var uploadByteCount: Int? {
      hop.body?.count ?? ([.post, .put, .patch].contains(hop.method) ? 0 : nil)
    }

    func beginHop(at now: ContinuousClock.Instant) {
      timing.beginHop(at: now)
      head = ResponseHeadParser()
      decision = .deliver
      bodyByteCount = 0
      uploadOffset = 0
      failure = nil
      refusedAddress = nil
      expectedByteCount = nil
    }

    /// The guard would not have the connection made; another address of the host may still do.
    func noteRefusedAddress(_ address: String) {
      refusedAddress = address
    }

    func noteConnected() {
      timing.noteActivity(at: clock.now)
    }

    // libcurl's callbacks; false aborts the hop.

    func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
      timing.noteResponse(at: clock.now)
      do throws(HTTPError) {
        if try head.take(line) { try takeHead() }
        return true
      } catch {
        failure = error
        return false
      }
    }

    private func takeHead() throws(HTTPError) {
      if (300..<400).contains(head.status) {
        decision = RedirectDecision(
          status: head.status, location: head.headers.first("Location"), of: hop,
          afterRedirects: redirectCount)
      }
      switch decision {
      case .follow: return
      case .refuse(let reason): throw HTTPError(reason)
      case .deliver: break
      }
      let response = responseHead
      if hop.method != .head, !response.hasNoBody {
        let length = response.contentLength
        if let length, length > hop.maximumBodyByteCount {
          throw HTTPError(.bodyTooLarge(limit: hop.maximumBodyByteCount))
        }
        let isDecoded = hop.allowsContentDecoding && response.hasContentCoding
        expectedByteCount = isDecoded ? nil : length
      }
      timing.beginBody(at: clock.now)
      try sink.begin(response)
    }

    /// Whether the sink wants the next piece now. If not, the hop is paused until it has said that it does.
    func mayTakeBody() -> Bool {
      if case .follow = decision { return true }
      let isReady = sink.isReady(HTTPBodyResumption(self))
      if isReady == timing.isPaused { timing.setPaused(!isReady, at: clock.now) }
      return isReady
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
      timing.noteBody(byteCount: bytes.count, at: clock.now)
      if case .follow = decision {
        bodyByteCount += bytes.count
        return bodyByteCount <= Self.maximumRedirectBodyByteCount
      }
      do throws(HTTPError) {
        guard bytes.count <= hop.maximumBodyByteCount - bodyByteCount else {
          throw HTTPError(.bodyTooLarge(limit: hop.maximumBodyByteCount))
        }
        try sink.append(bytes.bytes)
        bodyByteCount += bytes.count
        return true
      } catch {
        failure = error
        return false
      }
    }

    func giveUpload(_ space: UnsafeMutableRawBufferPointer) -> Int {
      timing.noteActivity(at: clock.now)
      guard let body = hop.body else { return 0 }
      let rest = body.dropFirst(uploadOffset).prefix(space.count)
      rest.copyBytes(to: space)
      uploadOffset += rest.count
      return rest.count
    }

    // libcurl sends the body again when a kept connection turns out to be dead.
    func seekUpload(to offset: Int) -> Bool {
      guard (0...(hop.body?.count ?? 0)).contains(offset) else { return false }
      uploadOffset = offset
      return true
    }

    /// Reads what the handle knows and says what comes next. The handle is still attached.
    func endHop(_ code: CURLcode, _ handle: CurlHandle, at now: ContinuousClock.Instant) -> Outcome {
      if let failure { return .finished(.failure(failure)) }
      // A redirect's body may have been cut off by us, or badly sent: its head is all that counts.
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
      guard head.isComplete else {
        return .finished(.failure(HTTPError(.protocolError("there is no header section"))))
      }
      if let expectedByteCount, expectedByteCount != bodyByteCount {
        return .finished(
          .failure(HTTPError(.bodyTruncated(received: bodyByteCount, expected: expectedByteCount))))
      }
      return .finished(
        .success(
          HTTPResponse(head: responseHead, bodyByteCount: bodyByteCount, metrics: metrics(handle, at: now))))
    }

    private var responseHead: HTTPResponseHead {
      HTTPResponseHead(status: head.status, headers: head.headers, url: hop.url, version: head.version)
    }

    private func reason(for code: CURLcode, _ handle: CurlHandle) -> HTTPError.Reason {
      CurlFailure(
        code: code, systemError: Int32(ozu_curl_long(handle.raw, CURLINFO_OS_ERRNO)),
        message: handle.message(for: code), isHeadComplete: head.isComplete, bodyByteCount: bodyByteCount,
        expectedByteCount: expectedByteCount
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
      metrics.receivedByteCount = Int(ozu_curl_offset(handle.raw, CURLINFO_SIZE_DOWNLOAD_T))
      metrics.redirectCount = redirectCount
      if let startedAt = timing.startedAt {
        metrics.total = now - startedAt
        metrics.firstByte = timing.firstByteAt.map { $0 - startedAt } ?? .zero
      }
      return metrics
    }
  }

  extension CurlTransfer: HTTPBodyResuming {
    func resumeBody() {
      _ = loop.submit(.resume(self))
    }
  }
#endif
