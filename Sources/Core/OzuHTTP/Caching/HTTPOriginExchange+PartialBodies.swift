import OzuBase

/// Beginnings of bodies whose transfers broke off: finding one to continue, and keeping one.
extension HTTPOriginExchange {
  func partialBody(for hop: HTTPRequest) async -> HTTPPartialBody? {
    guard resumes, hop.method == .get, !hop.hasPrecondition else { return nil }
    // Conditions that need no waiting are checked first, here and below, because each function that suspends costs
    // memory.
    if keepsPartialBodies, let spool = cache.spool, spool.mayHaveLeft { await adoptLeft(from: spool) }
    guard let partial = await storage.partialBody(for: key),
      partial.response.isFrom(hop.url),
      HTTPVary(partial.response.headers).matches(hop, stored: partial.response.selectingHeaders),
      partial.body.count < hop.maximumBodyByteCount
    else { return nil }
    return partial
  }

  /// Moves the beginning that a killed process left to the storage.
  private func adoptLeft(from spool: HTTPBodySpool) async {
    guard let left = await spool.takeLeft(for: key) else { return }
    let known = await storage.partialBody(for: key)
    if known?.isWorse(than: left.partial) ?? true {
      await storage.setPartialBody(left.partial, for: key)
    }
    left.remove()
  }

  var keepsPartialBodies: Bool {
    mode != .noStore && configuration.minimumPartialByteCount < .max
  }

  /// Decides when and how the body of a response is kept for another process; nil if it could not be continued.
  func keeping(
    _ head: HTTPResponseHead, _ hop: HTTPRequest, continuing old: HTTPPartialBody?, since requestDate: Date
  ) -> HTTPSpooledBody.Keeping? {
    // A cheap check that excludes most pictures. The rest is checked when the delay has passed.
    guard old != nil || head.headers.contains(name: "ETag") || head.headers.contains(name: "Last-Modified")
    else {
      return nil
    }
    let responseDate = configuration.currentDate()
    let beginning: @Sendable () -> HTTPPartialBodyRecord? = {
      let response = resumable(
        head, hop, continuing: old, requestDate: requestDate, responseDate: responseDate)
      return response.flatMap { HTTPPartialBodyRecord($0, for: key) }
    }
    return HTTPSpooledBody.Keeping(
      startedAt: configuration.now(), delay: configuration.spooling.partialBodyDelay,
      minimumByteCount: configuration.minimumPartialByteCount, now: configuration.now, beginning: beginning)
  }

  /// The stored form of a response whose body may be kept as a beginning.
  private func resumable(
    _ head: HTTPResponseHead, _ hop: HTTPRequest, continuing old: HTTPPartialBody?, requestDate: Date,
    responseDate: Date
  ) -> HTTPStoredResponse? {
    guard hop.method == .get, mode != .noStore, hop.headers["Range"] == nil else { return nil }
    if let old { return old.response }
    guard head.status == 200, policy.reasonNotToStore(head, for: hop, mode: mode) == nil else { return nil }
    return policy.stored(head, for: hop, requestDate: requestDate, responseDate: responseDate)
  }

  func keepPartial(
    of sink: HTTPCacheSink, _ hop: HTTPRequest, continuing old: HTTPPartialBody?, since requestDate: Date
  ) async {
    guard let head = sink.head,
      let response = resumable(
        head, hop, continuing: sink.isContinued ? old : nil, requestDate: requestDate,
        responseDate: configuration.currentDate())
    else { return }
    // If the file does not return the body, the body is lost; the caller gets the error of the transfer.
    guard let body = try? await sink.takeBody().data, body.count >= configuration.minimumPartialByteCount
    else { return }
    guard let partial = HTTPPartialBody(response: response, body: body) else { return }
    await storage.setPartialBody(partial, for: key)
  }
}
