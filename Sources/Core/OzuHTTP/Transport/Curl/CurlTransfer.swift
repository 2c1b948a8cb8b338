#if os(Linux)
  import CCurl
  import OzuBase

  /// One request in progress: the current hop, its head, and the number of bytes of its body.
  ///
  /// Unchecked Sendable: `CurlClient.send` makes it and passes it to the loop's thread. Only that thread uses the
  /// mutable state. The client keeps a reference only to name the transfer in a `.cancel`, and a slow sink to name
  /// it in a `.resume`.
  final class CurlTransfer: @unchecked Sendable {
    typealias Completion = CheckedContinuation<Result<HTTPResponse, HTTPError>, Never>

    enum Phase {
      case fresh, cancelledBeforeStart, waiting, active, finished
    }

    let sink: any HTTPBodySink
    let loop: CurlLoop
    var completion: Completion?
    var phase = Phase.fresh
    var ticket: UInt64 = 0
    var handle: CurlHandle?
    /// The request of the current hop, and its origin.
    var hop: HTTPRequest
    var origin: HTTPOrigin

    var head = ResponseHeadParser()
    var decision = RedirectDecision.deliver
    var redirectCount = 0
    var bodyByteCount = 0
    var uploadOffset = 0
    var failure: HTTPError?
    var expectedByteCount: Int?
    /// The number of bytes before content decoding, which `Content-Length` counts.
    var encodedByteCount = 0
    var decoder: ContentDecoder?
    /// The chunks of the body, if it comes in chunks.
    var chunks: ChunkedBody?
    /// The number of bytes up to the data of chunks that were not taken before a pause, and that libcurl passes again.
    var repeatedChunkByteCount = 0
    /// The number of bytes that were decoded before a pause, and that libcurl passes again.
    var repeatedByteCount = 0

    var timing: TransferTiming

    /// Decides to which addresses every hop may connect; nil allows all.
    let addressFilter: AddressFilter?
    /// The address to which the guard refused to connect; another address of the host may still work.
    var refusedAddress: String?
    /// The port of the last address to which libcurl began to connect: the origin's, or the proxy's.
    var connectingPort: Int?
    let hostRule: HTTPHostRule

    init(
      request: HTTPRequest, origin: HTTPOrigin, sink: any HTTPBodySink, loop: CurlLoop,
      addressFilter: AddressFilter?, hostRule: HTTPHostRule
    ) {
      hop = request
      self.loop = loop
      self.addressFilter = addressFilter
      self.hostRule = hostRule
      timing = TransferTiming(limits: request.timeouts)
      self.origin = origin
      self.sink = sink
    }

    /// Whether the connection of the hop carries several exchanges at once.
    var isMultiplexed: Bool {
      head.isComplete && (head.version == .http2 || head.version == .http3)
    }

    /// The number of bytes to send: zero for a method with a body if the request has none, nil for other methods.
    var uploadByteCount: Int? {
      hop.body?.count ?? ([.post, .put, .patch].contains(hop.method) ? 0 : nil)
    }

    func beginHop() {
      timing.beginHop(at: .now)
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
      chunks = nil
      repeatedChunkByteCount = 0
      connectingPort = nil
    }
  }

  /// Reads the head of a response, line by line.
  extension CurlTransfer {
    /// Takes a line from libcurl. Returns false to abort the hop.
    func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
      timing.noteResponse(at: .now)
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
      // A chunked body marks its own end, and a length beside it has no meaning (RFC 9112 §6.3).
      let isChunked = try isChunked
      if head.headers.contains(name: "Transfer-Encoding") { head.headers.remove(name: "Content-Length") }
      let response = responseHead
      if hop.method != .head, !response.hasNoBody {
        if isChunked { chunks = ChunkedBody() }
        try expectBody(of: response)
      }
      timing.beginBody(at: .now)
      try sink.begin(response)
    }

    // No transfer coding is asked for, so honest servers send none but chunks, which each client understands. Without
    // chunks the body is taken as it is, as browsers do. Of another coding beside them, versions of libcurl disagree
    // where the body ends.
    private var isChunked: Bool {
      get throws(HTTPError) {
        guard head.version == .http1_1 || head.version == .http1_0 else { return false }
        let codings = head.headers.values(for: "Transfer-Encoding").flatMap { HTTPList.elements(of: $0) }
        let chunkedCount = codings.count { $0.isEqualIgnoringASCIICase(to: "chunked") }
        guard chunkedCount == 0 || chunkedCount == codings.count else {
          throw HTTPError(.protocolError("it has a transfer coding that was not asked for"))
        }
        return chunkedCount > 0
      }
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

    var responseHead: HTTPResponseHead {
      HTTPResponseHead(status: head.status, headers: head.headers, url: hop.url, version: head.version)
    }

    var tooLarge: HTTPError { HTTPError(.bodyTooLarge(limit: hop.maximumBodyByteCount)) }

    func error(_ failure: ContentDecoder.Failure) -> HTTPError {
      switch failure {
      case .corrupt(let coding):
        HTTPError(.protocolError("the \(coding.rawValue) coding of the body is corrupt"))
      case .outOfMemory: HTTPError(.other(code: Int(CURLE_OUT_OF_MEMORY.rawValue), message: "out of memory"))
      case .tooLarge: tooLarge
      }
    }
  }

  /// The body of the response, which is decoded and passed to the sink, and the body of the request.
  extension CurlTransfer {
    /// The result of passing bytes of a body.
    enum BodyOutcome {
      case taken, paused, failed
    }

    /// The most decoded bytes of one piece before other transfers get their turn.
    private static let maximumByteCountPerTurn = 1 << 20
    /// The number of bytes by which an encoded body may exceed the limit on the decoded body.
    private static let maximumCodingExcess = 1 << 20
    /// A redirect's body of at most this length is read, so that its connection can be reused.
    private static let maximumRedirectBodyByteCount = 64 << 10

    /// Whether the sink is ready for the next piece. If not, the hop is paused until the sink resumes it.
    private func mayTakeBody() -> Bool {
      let isReady = sink.isReady(HTTPBodyResumption(self))
      if isReady == timing.isPaused { timing.setPaused(!isReady, at: .now) }
      return isReady
    }

    /// Takes bytes of the body as they came. If it returns `paused`, libcurl passes the same bytes again, before all
    /// others.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> BodyOutcome {
      if case .follow = decision {
        timing.noteBody(byteCount: bytes.count, at: .now)
        bodyByteCount += bytes.count
        return bodyByteCount <= Self.maximumRedirectBodyByteCount ? .taken : .failed
      }
      do throws(HTTPError) {
        return chunks == nil ? try takeContent(bytes) : try takeChunks(bytes)
      } catch {
        failure = error
        return .failed
      }
    }

    private func takeChunks(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> BodyOutcome {
      var offset = min(repeatedChunkByteCount, bytes.count)
      while let data = try chunks?.nextData(in: bytes, from: &offset) {
        guard try takeContent(UnsafeRawBufferPointer(rebasing: bytes[data])) == .taken else {
          repeatedChunkByteCount = offset
          return .paused
        }
        chunks?.take(data.count)
        offset = data.upperBound
      }
      repeatedChunkByteCount = max(0, repeatedChunkByteCount - bytes.count)
      return .taken
    }

    // Takes bytes between the chunks' sizes, or of a body without chunks: still in their content coding.
    private func takeContent(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> BodyOutcome {
      if let decoder { return try decode(bytes.bytes, by: decoder) }
      guard mayTakeBody() else { return .paused }
      timing.noteBody(byteCount: bytes.count, at: .now)
      encodedByteCount += bytes.count
      try hand(bytes.bytes)
      return .taken
    }

    private func hand(_ bytes: RawSpan) throws(HTTPError) {
      guard bytes.byteCount <= hop.maximumBodyByteCount - bodyByteCount else { throw tooLarge }
      try sink.append(bytes)
      bodyByteCount += bytes.byteCount
    }

    private func decode(_ bytes: RawSpan, by decoder: ContentDecoder) throws(HTTPError) -> BodyOutcome {
      var offset = min(repeatedByteCount, bytes.byteCount)
      let handed = bodyByteCount
      timing.noteResponse(at: .now)
      while true {
        guard mayTakeBody() else { return pause(after: offset) }
        // Other transfers get their turn before much more is decoded from these few bytes.
        guard bodyByteCount - handed < Self.maximumByteCountPerTurn else {
          timing.setPaused(true, at: .now)
          resumeBody()
          return pause(after: offset)
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
          timing.noteBody(byteCount: output.byteCount, at: .now)
          try hand(output)
        }
      }
      // A decoder may accept input for ever without output. Data that cannot be compressed becomes only slightly
      // longer by a coding.
      guard encodedByteCount - Self.maximumCodingExcess <= hop.maximumBodyByteCount else { throw tooLarge }
      repeatedByteCount = max(0, repeatedByteCount - bytes.byteCount)
      return .taken
    }

    private func pause(after offset: Int) -> BodyOutcome {
      repeatedByteCount = max(repeatedByteCount, offset)
      return .paused
    }

    func giveUpload(_ space: UnsafeMutableRawBufferPointer) -> Int {
      timing.noteActivity(at: .now)
      guard let body = hop.body else { return 0 }
      let rest = body.dropFirst(uploadOffset).prefix(space.count)
      rest.copyBytes(to: space)
      uploadOffset += rest.count
      return rest.count
    }

    // libcurl sends the body again if a reused connection turns out to be closed.
    func seekUpload(to offset: Int) -> Bool {
      guard (0...(hop.body?.count ?? 0)).contains(offset) else { return false }
      uploadOffset = offset
      return true
    }
  }

  /// The end of a hop.
  extension CurlTransfer {
    /// The result of a hop: the end of the exchange, or the request and the origin of the next hop.
    enum Outcome {
      case finished(Result<HTTPResponse, HTTPError>)
      case redirected((request: HTTPRequest, origin: HTTPOrigin))
    }

    /// Reads the results from the handle, which is still attached, and decides the next step.
    func endHop(_ code: CURLcode, _ handle: CurlHandle) -> Outcome {
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
          HTTPResponse(head: responseHead, bodyByteCount: bodyByteCount, metrics: metrics(handle))))
    }

    private func metrics(_ handle: CurlHandle) -> HTTPMetrics {
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
        metrics.total = ContinuousClock.now - startedAt
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
