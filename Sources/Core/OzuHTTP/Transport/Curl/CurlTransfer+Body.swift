#if os(Linux)
  import OzuBase

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
      if isReady == timing.isPaused { timing.setPaused(!isReady, at: clock.now) }
      return isReady
    }

    /// Takes bytes of the body as they came. If it returns `paused`, libcurl passes the same bytes again, before all
    /// others.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> BodyOutcome {
      if case .follow = decision {
        timing.noteBody(byteCount: bytes.count, at: clock.now)
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
      timing.noteBody(byteCount: bytes.count, at: clock.now)
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
      timing.noteResponse(at: clock.now)
      while true {
        guard mayTakeBody() else { return pause(after: offset, of: bytes) }
        // Other transfers get their turn before much more is decoded from these few bytes.
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
      // A decoder may accept input for ever without output. Data that cannot be compressed becomes only slightly
      // longer by a coding.
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

    // libcurl sends the body again if a reused connection turns out to be closed.
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
