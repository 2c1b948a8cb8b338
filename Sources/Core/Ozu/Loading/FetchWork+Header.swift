import OzuBase
import OzuHTTP
import OzuImaging

/// Reading the header of a picture from the beginning of its file.
extension FetchWork {
  /// The bytes of the first range request: enough for nearly every header.
  private static let firstByteCount = 64 << 10
  /// The largest number of bytes to try before the whole file is loaded: room for a long colour profile or for much
  /// camera metadata.
  private static let byteLimit = 192 << 10
  /// The most ranges and readings for one header; each range of an honest file has 16 KB or ends with it.
  private static let mostSteps = 24

  /// - Returns: `nil` if the whole file is needed.
  func askForHeader(
    _ exchange: HTTPCacheExchange, _ originRequest: HTTPCacheExchange.OriginRequest, _ job: RunningJob
  ) async -> JobStep? {
    do throws(HTTPError) {
      switch try await exchange.beginning(
        originRequest, byteCount: Self.firstByteCount, maximum: Self.byteLimit)
      {
      // An origin that refuses the range may still send the whole file.
      case .answer(let answer): return answer.status == 416 ? nil : settle(.success(answer))
      case .part(let part): return try await header(of: part, exchange, originRequest, job)
      }
    } catch {
      if case .refused = error.reason { return nil }
      return settle(.failure(error))
    }
  }

  private func header(
    of part: HTTPBodyPart, _ exchange: HTTPCacheExchange, _ originRequest: HTTPCacheExchange.OriginRequest,
    _ job: RunningJob
  ) async throws(HTTPError) -> JobStep? {
    await exchange.keep(part)
    let beginning = await read(part.body, job)
    if case .settled(let header) = beginning { return finish(header, part) }
    if let header = try await sparseHeader(of: part, beginning, exchange, job) { return finish(header, part) }
    let end = min(part.totalByteCount ?? Self.byteLimit, Self.byteLimit)
    switch try await exchange.extended(part, to: end, originRequest) {
    case nil: return nil
    case .answer(let answer): return settle(.success(answer))
    case .part(let more):
      await exchange.keep(more)
      guard case .settled(let header) = await read(more.body, job) else { return nil }
      return finish(header, more)
    }
  }

  /// The header of a file that has it elsewhere, from further ranges. With required isolation nothing of a file is read
  /// in this process, so the whole file is loaded, unless the worker has said what it lacks.
  private func sparseHeader(
    of part: HTTPBodyPart, _ beginning: BeginningHeader, _ exchange: HTTPCacheExchange, _ job: RunningJob
  ) async throws(HTTPError) -> ImageHeader? {
    let decoding = configuration.decoding
    guard decoding.isolation.mode != .required || beginning.missing != nil, part.hasRanges,
      let total = part.totalByteCount, total <= decoding.limits.encodedByteCount
    else {
      return nil
    }
    var file = SparseFile(beginning: part.body, byteCount: total)
    var missing = beginning.missing
    // A decoder that was taken over, in a process of its own, could ask for one byte after the other.
    for _ in 0..<Self.mostSteps {
      guard let step = file.next(within: Self.byteLimit, missing: missing) else { return nil }
      if case .request(let range) = step {
        guard let bytes = try await exchange.bytes(range, of: part), bytes.count == range.count else {
          return nil
        }
        file.add(bytes, at: range.lowerBound)
        // The directories of a TIFF say when all of them are there.
        if missing == nil { continue }
      }
      let reading = await read(file.data, job)
      if case .settled(let header) = reading { return header }
      missing = reading.missing
      if missing == nil { return nil }
    }
    return nil
  }

  private func finish(_ header: ImageHeader, _ part: HTTPBodyPart) -> JobStep {
    // Only header requests see these bytes, because the job has its own key.
    finish(
      .success(
        FetchedData(.data(part.body), source: .network, time: time(.network), header: header)))
  }

  private func read(_ data: Data, _ job: RunningJob) async -> BeginningHeader {
    let decoding = configuration.decoding
    return await job.runner.run(on: .decode, priority: job.runner.level(of: job.id)) {
      decoding.codecs.header(ofBeginning: data, limits: decoding.limits)
    }
  }
}
