#if os(Linux)
  import CCurl

  /// Reads the head of a response, line by line.
  extension CurlTransfer {
    /// Takes a line from libcurl. Returns false to abort the hop.
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
      // A chunked body marks its own end, and a length beside it has no meaning (RFC 9112 §6.3).
      let isChunked = try isChunked
      if head.headers.contains(name: "Transfer-Encoding") { head.removeLength() }
      let response = responseHead
      if hop.method != .head, !response.hasNoBody {
        if isChunked { chunks = ChunkedBody() }
        try expectBody(of: response)
      }
      timing.beginBody(at: clock.now)
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
#endif
