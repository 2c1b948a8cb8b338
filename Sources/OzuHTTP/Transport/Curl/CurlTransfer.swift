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

    /// What became of bytes of a body.
    enum BodyOutcome {
      case taken, paused, failed
    }

    /// How many bytes are decoded of one piece before other transfers have their turn.
    private static let maximumByteCountPerTurn = 1 << 20
    /// By how much an encoded body may be longer than the limit on the decoded one.
    private static let maximumCodingExcess = 1 << 20
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
    /// How many bytes came before content decoding: what `Content-Length` counts.
    private var encodedByteCount = 0
    private var decoder: ContentDecoder?
    /// How many bytes at the beginning of what libcurl hands over after a pause have been decoded before.
    private var repeatedByteCount = 0

    var timing: TransferTiming
    private let clock: CurlClock

    /// Which addresses may be connected to, on this hop and on every other; nil for all.
    let addressFilter: AddressFilter?
    private var refusedAddress: String?
    private let hostRule: HTTPHostRule

    init(
      request: HTTPRequest, origin: HTTPOrigin, sink: any HTTPBodySink, loop: CurlLoop,
      addressFilter: AddressFilter?, hostRule: HTTPHostRule
    ) {
      hop = request
      self.loop = loop
      clock = loop.clock
      self.addressFilter = addressFilter
      self.hostRule = hostRule
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
      encodedByteCount = 0
      decoder = nil
      repeatedByteCount = 0
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
      case .follow(let next): return try hostRule.check(next.url)
      case .refuse(let reason): throw HTTPError(reason)
      case .deliver: break
      }
      // A body in chunks says itself where it ends, and a length beside them means nothing (RFC 9112 §6.3).
      if head.headers.contains(name: "Transfer-Encoding") { head.removeLength() }
      let response = responseHead
      if hop.method != .head, !response.hasNoBody { try expectBody(of: response) }
      timing.beginBody(at: clock.now)
      try sink.begin(response)
    }

    private func expectBody(of response: HTTPResponseHead) throws(HTTPError) {
      guard !response.hasMalformedLength else {
        throw HTTPError(.protocolError("its Content-Length is malformed or contradicts itself"))
      }
      expectedByteCount = response.contentLength
      guard hop.allowsContentDecoding, case .known(let codings) = ContentCodings(response.headers) else {
        if let expectedByteCount, expectedByteCount > hop.maximumBodyByteCount { throw tooLarge }
        return
      }
      guard codings.count <= ContentCodings.maximumCount else {
        throw HTTPError(.protocolError("it names more than \(ContentCodings.maximumCount) content codings"))
      }
      do throws(ContentDecoder.Failure) {
        decoder = try ContentDecoder(codings, byteLimit: hop.maximumBodyByteCount)
      } catch {
        throw self.error(error)
      }
    }

    private var tooLarge: HTTPError { HTTPError(.bodyTooLarge(limit: hop.maximumBodyByteCount)) }

    private func error(_ failure: ContentDecoder.Failure) -> HTTPError {
      switch failure {
      case .corrupt(let coding):
        HTTPError(.protocolError("the \(coding.rawValue) coding of the body is corrupt"))
      case .outOfMemory: HTTPError(.other(code: Int(CURLE_OUT_OF_MEMORY.rawValue), message: "out of memory"))
      case .tooLarge: tooLarge
      }
    }

    /// Whether the sink wants the next piece now. If not, the hop is paused until it has said that it does.
    private func mayTakeBody() -> Bool {
      let isReady = sink.isReady(HTTPBodyResumption(self))
      if isReady == timing.isPaused { timing.setPaused(!isReady, at: clock.now) }
      return isReady
    }

    /// Takes bytes of the body as they came. Those of which it returns `paused` come again, first of all that come.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> BodyOutcome {
      if case .follow = decision {
        timing.noteBody(byteCount: bytes.count, at: clock.now)
        bodyByteCount += bytes.count
        return bodyByteCount <= Self.maximumRedirectBodyByteCount ? .taken : .failed
      }
      do throws(HTTPError) {
        if let decoder { return try decode(bytes.bytes, by: decoder) }
        guard mayTakeBody() else { return .paused }
        timing.noteBody(byteCount: bytes.count, at: clock.now)
        encodedByteCount += bytes.count
        try hand(bytes.bytes)
        return .taken
      } catch {
        failure = error
        return .failed
      }
    }

    private func hand(_ bytes: RawSpan) throws(HTTPError) {
      guard bytes.byteCount <= hop.maximumBodyByteCount - bodyByteCount else { throw tooLarge }
      try sink.append(bytes)
      bodyByteCount += bytes.byteCount
    }

    private func decode(_ bytes: RawSpan, by decoder: ContentDecoder) throws(HTTPError) -> BodyOutcome {
      var offset = min(repeatedByteCount, bytes.byteCount)
      let handed = bodyByteCount
      timing.noteResponse(at: clock.now)
      while true {
        guard mayTakeBody() else { return pause(after: offset, of: bytes) }
        // Other transfers have their turn before much more is made of these few bytes.
        guard bodyByteCount - handed < Self.maximumByteCountPerTurn else {
          timing.setPaused(true, at: clock.now)
          resumeBody()
          return pause(after: offset, of: bytes)
        }
        let start = offset
        do throws(ContentDecoder.Failure) {
          guard try decoder.step(bytes, from: &offset) else {
            encodedByteCount += offset - start
            break
          }
        } catch {
          throw self.error(error)
        }
        encodedByteCount += offset - start
        try decoder.withOutput { (output) throws(HTTPError) in
          timing.noteBody(byteCount: output.byteCount, at: clock.now)
          try hand(output)
        }
      }
      // A coding can be fed for ever and make nothing of it. What it cannot make smaller it makes hardly larger.
      guard encodedByteCount - Self.maximumCodingExcess <= hop.maximumBodyByteCount else { throw tooLarge }
      repeatedByteCount = max(0, repeatedByteCount - bytes.byteCount)
      return .taken
    }

    private func pause(after offset: Int, of bytes: RawSpan) -> BodyOutcome {
      repeatedByteCount = max(repeatedByteCount, offset)
      return .paused
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
      // libcurl takes the end of the connection for the end of the header section.
      guard head.isComplete else {
        let isCut = head.isInSection || head.status == 0
        return .finished(
          .failure(
            HTTPError(isCut ? .connectionLost : .protocolError("status \(head.status) is no final answer"))))
      }
      if let expectedByteCount, expectedByteCount != encodedByteCount {
        return .finished(
          .failure(HTTPError(.bodyTruncated(received: encodedByteCount, expected: expectedByteCount))))
      }
      // No bytes at all are an empty body in any coding.
      if encodedByteCount > 0, let coding = decoder?.unended {
        return .finished(.failure(HTTPError(.contentCodingTruncated(coding: coding.rawValue))))
      }
      return .finished(
        .success(
          HTTPResponse(head: responseHead, bodyByteCount: bodyByteCount, metrics: metrics(handle, at: now))))
    }

    private var responseHead: HTTPResponseHead {
      HTTPResponseHead(status: head.status, headers: head.headers, url: hop.url, version: head.version)
    }

    private func reason(for code: CURLcode, _ handle: CurlHandle) -> HTTPError.Reason {
      let message = handle.message(for: code)
      let connectStatus = ozu_curl_long(handle.raw, CURLINFO_HTTP_CONNECTCODE)
      let isProxyCertain = connectStatus != 0 || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY
      return CurlFailure(
        code: code, systemError: Int32(ozu_curl_long(handle.raw, CURLINFO_OS_ERRNO)),
        message: message, isHeadComplete: head.isComplete, bodyByteCount: encodedByteCount,
        expectedByteCount: expectedByteCount,
        proxy: CurlProxyName.text(
          handle.configuration, origin: origin, message: isProxyCertain ? nil : message),
        connectStatus: connectStatus, host: hop.url.shownHost ?? origin.host,
        verification: ozu_curl_long(handle.raw, CURLINFO_SSL_VERIFYRESULT),
        certificate: handle.certificate.facts
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
