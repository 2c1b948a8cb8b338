import OzuBase

/// One hop, including the resumption of an earlier transfer.
extension HTTPOriginExchange {
  /// Sends one hop, conditionally or for the rest of a body if possible.
  func send(_ hop: HTTPRequest) async throws(HTTPError) -> Received {
    var outgoing = hop
    if case .follow = hop.redirectPolicy { outgoing.redirectPolicy = .manual }
    let here = stored.indices.filter { stored[$0].isFrom(hop.url) }
    if !here.isEmpty {
      let place = choice.flatMap { here.firstIndex(of: $0) }
      let conditions = policy.conditionalHeaders(for: here.map { stored[$0] }, choice: place)
      for field in conditions { outgoing.headers.add(name: field.name, value: field.value) }
    }
    if let partial = await partialBody(for: hop) {
      do throws(HTTPError) {
        return try await transfer(outgoing, continuing: partial)
      } catch {
        // The rest does not fit, or is not available: request the whole body, once.
        guard case .refused = error.reason else { throw error }
        await storage.setPartialBody(nil, for: key)
      }
    }
    return try await transfer(outgoing, continuing: nil)
  }

  private func transfer(
    _ hop: HTTPRequest, continuing partial: HTTPPartialBody?
  ) async throws(HTTPError) -> Received {
    var outgoing = hop
    if let partial {
      for field in partial.requestHeaders { outgoing.headers.add(name: field.name, value: field.value) }
    }
    if let preparation = configuration.preparation {
      outgoing = try await prepared(outgoing, by: preparation)
    }
    var isFollowing = false
    if case .follow = request.redirectPolicy { isFollowing = true }
    let requestDate = configuration.currentDate()
    let keepingRule: HTTPCacheSink.KeepingRule = { head, isContinued in
      keeping(head, hop, continuing: isContinued ? partial : nil, since: requestDate)
    }
    let sink = HTTPCacheSink(
      spool: cache.spool, partial: partial, keepsErrorBodies: configuration.keepsErrorBodies,
      followsRedirects: isFollowing, onProgress: onProgress,
      keeping: keepsPartialBodies ? keepingRule : nil)
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await client.send(outgoing, into: sink)
    } catch {
      if let head = sink.head, sink.hasOverflown { return (head, HTTPSpooledBody.Content(data: Data())) }
      if sink.rejection == nil { await keepPartial(of: sink, hop, continuing: partial, since: requestDate) }
      throw sink.isContinued ? Self.ofWhole(error, behind: partial?.body.count ?? 0) : error
    }
    guard let partial else {
      if let body = sink.takeBodyInMemory() { return (response.head, body) }
      return (response.head, try await takeBody(of: sink, hop))
    }
    return try await complete(partial, response, sink, hop)
  }

  /// Handles the answer to a request for the rest of a body.
  private func complete(
    _ partial: HTTPPartialBody, _ response: HTTPResponse, _ sink: HTTPCacheSink, _ hop: HTTPRequest
  ) async throws(HTTPError) -> Received {
    if response.status == 416 { throw HTTPError(.refused("there is no rest"), url: hop.url) }
    let body = try await takeBody(of: sink, hop)
    let total =
      partial.totalByteCount ?? ContentRange(response.head.headers.first("Content-Range") ?? "")?.total
    if sink.isContinued, let total, body.data.count < total {
      // A server may send fewer bytes than requested (RFC 9110 §15.3.7): the next request continues from there.
      if let longer = HTTPPartialBody(response: partial.response, body: body.data) {
        await storage.setPartialBody(longer, for: key)
      }
      throw HTTPError(.bodyTruncated(received: body.data.count, expected: total), url: hop.url)
    }
    // A 200 has the whole body, so the beginning is removed. After an error the beginning stays.
    if response.status < 300 { await storage.setPartialBody(nil, for: key) }
    guard sink.isContinued else { return (response.head, body) }
    if let total, body.data.count > total {
      throw HTTPError(.protocolError("the rest is longer than its Content-Range says"), url: hop.url)
    }
    guard body.data.count <= hop.maximumBodyByteCount else {
      throw HTTPError(.bodyTooLarge(limit: hop.maximumBodyByteCount), url: hop.url)
    }
    return (partial.completedHead(by: response.head, byteCount: body.data.count), body)
  }

  /// The error of a transfer of the rest, with byte counts of the whole body.
  private static func ofWhole(_ error: HTTPError, behind count: Int) -> HTTPError {
    guard case .bodyTruncated(let received, let expected) = error.reason else { return error }
    return HTTPError(
      .bodyTruncated(
        received: received.saturatingSum(count), expected: expected.map { $0.saturatingSum(count) }),
      url: error.url)
  }

  private func takeBody(
    of sink: HTTPCacheSink, _ hop: HTTPRequest
  ) async throws(HTTPError) -> HTTPSpooledBody.Content {
    do throws(HTTPError) {
      return try await sink.takeBody()
    } catch {
      throw HTTPError(error.reason, url: hop.url)
    }
  }

  private func prepared(
    _ request: HTTPRequest, by preparation: any HTTPRequestPreparing
  ) async throws(HTTPError) -> HTTPRequest {
    do {
      var prepared = try await preparation.willSend(request)
      // The exchange decides these values, even if the hook made a new request.
      prepared.redirectPolicy = request.redirectPolicy
      prepared.maximumBodyByteCount = min(prepared.maximumBodyByteCount, request.maximumBodyByteCount)
      return prepared
    } catch let error as HTTPError {
      throw error
    } catch is CancellationError {
      throw HTTPError(.cancelled, url: request.url)
    } catch {
      throw HTTPError(
        .invalidRequest("preparing it failed: \(configuration.errorText(error))"), url: request.url)
    }
  }
}
