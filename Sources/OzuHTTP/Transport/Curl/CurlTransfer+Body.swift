#if os(Linux)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// The body of a response, decoded and handed to its sink, and that of the request.
  extension CurlTransfer {
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
  }

  extension CurlTransfer: HTTPBodyResuming {
    func resumeBody() {
      _ = loop.submit(.resume(self))
    }
  }
#endif
