import Foundation
import OzuHTTP

/// The job that brings the bytes of a source: from the disk cache, a file, the network or a fetcher.
struct FetchData: Sendable {
  let parts: PipelineParts
  let request: ImageRequest
  let job: PipelineParts.FetchJobs.Handle

  private var name: String { request.source.name }
  private var limits: DecodingLimits { parts.configuration.limits }

  func run() async -> Result<FetchedData, ImageError> {
    do throws(ImageError) {
      return .success(try await fetch())
    } catch {
      return .failure(error)
    }
  }

  private func fetch() async throws(ImageError) -> FetchedData {
    switch try parts.configuration.sources.access(request.source) {
    case .bytes(let data):
      return try await transformed(FetchedData(.data(data), source: .original, timings: StageTimings()))
    case .picture(let picture):
      return FetchedData(.picture(picture), source: .original, timings: StageTimings())
    case .file(let path): return try await transformed(read(path))
    case .network(let url):
      if request.cachePolicy == .cacheOnly, !request.readsOriginals { throw .notCached(name) }
      try refuseFailed()
      return try await transformed(load(url))
    case .fetcher(let fetcher):
      if let original = await cachedOriginal() { return original }
      if request.cachePolicy == .cacheOnly { throw .notCached(name) }
      return try await fetch(with: fetcher)
    }
  }

  /// What the app makes of the bytes; on a decoding thread, because it may be as much work.
  private func transformed(_ fetched: FetchedData) async throws(ImageError) -> FetchedData {
    guard let transform = parts.configuration.dataTransformation, case .data(let data) = fetched.content
    else { return fetched }
    let outcome = await parts.decodeQueue.run(priority: job.priority) { [request] flag in
      flag.isRaised ? nil : Result { try transform(data, request) }
    }
    switch outcome {
    case .success(let data): return fetched.replacing(.data(data))
    case .failure(let error): throw .fetchFailed(name, underlying: error)
    case nil: throw .cancelled(name)
    }
  }

  /// What has failed for good a moment ago is not tried again, unless the request insists.
  private func refuseFailed() throws(ImageError) {
    guard request.cachePolicy == .useCaches else { return }
    let date = parts.configuration.currentDate()
    if let error = parts.failures.failure(for: request.key.source, now: date) { throw error }
  }

  private func cachedOriginal() async -> FetchedData? {
    guard request.readsOriginals else { return nil }
    let start = parts.configuration.now()
    let data = await parts.diskQueue.run(priority: job.priority) { [parts, request] flag in
      flag.isRaised ? nil : parts.caches.original(for: request)
    }
    guard let data else { return nil }
    return FetchedData(
      .data(data), source: .original, timings: timings(.read, since: start), isFromDiskCache: true)
  }

  private func read(_ path: String) async throws(ImageError) -> FetchedData {
    let start = parts.configuration.now()
    let limit = limits.encodedByteCount
    let outcome = await parts.diskQueue.run(priority: job.priority) {
      [name, parts] flag -> Result<(data: Data, stamp: FileStamp), ImageError> in
      if flag.isRaised { return .failure(.cancelled(name)) }
      return parts.events.observeFile(name) { () throws(ImageError) in
        try FileReader.read(path, limit: limit)
      }
    }
    let (data, stamp) = try outcome.get()
    return FetchedData(
      .data(data), source: .original, timings: timings(.read, since: start), stamp: stamp)
  }

  /// Through the HTTP cache, whose storage is the disk cache. A new original is stored only after its picture
  /// has been made.
  private func load(_ url: URL) async throws(ImageError) -> FetchedData {
    let start = parts.configuration.now()
    let exchange = request.exchange(
      with: url, configuration: parts.configuration, priority: job.priority.transport)
    let answer: HTTPCachedResponse
    do throws(HTTPError) {
      answer = try await SlottedHTTPClient.$urgency.withValue(job.priority) { await ask(exchange) }.get()
    } catch {
      let failure = ImageError(error, source: name)
      note(failure, freshUntil: nil)
      throw failure
    }
    guard (200..<300).contains(answer.status) else {
      if request.cachePolicy == .cacheOnly { throw .notCached(name) }
      let failure = ImageError.httpStatus(answer.status, source: name)
      let isAbsence = answer.status == 404 || answer.status == 410
      note(failure, freshUntil: isAbsence ? absenceEnd(answer) : nil)
      throw failure
    }
    parts.failures.forgetIfReloaded(request)
    let isNetwork = answer.decision.place == .network || answer.decision.place == .revalidated
    return FetchedData(
      .data(answer.body), source: ImageResponse.Source(answer.decision.place),
      timings: timings(isNetwork ? .network : .read, since: start), http: answer,
      isFromDiskCache: answer.decision.place != .network, hasOwnPolicy: request.httpPolicy != nil)
  }

  private func ask(_ exchange: HTTPRequest) async -> Result<HTTPCachedResponse, HTTPError> {
    do throws(HTTPError) {
      return .success(
        try await parts.httpCache.response(
          for: exchange, mode: request.httpMode, resource: request.sourceKey,
          policy: request.httpPolicy, storing: .byCaller
        ) { [job] received, expected in
          job.report(LoadProgress(receivedByteCount: received, expectedByteCount: expected))
        })
    } catch {
      return .failure(error)
    }
  }

  private func note(_ error: ImageError, freshUntil: Date?) {
    guard request.cachePolicy.writesCaches else { return }
    parts.failures.note(
      error, for: request.key.source, freshUntil: freshUntil, now: parts.configuration.currentDate())
  }

  /// An answer that there is nothing counts for its own lifetime, else for 60 seconds; a day at most.
  private func absenceEnd(_ answer: HTTPCachedResponse) -> Date {
    let now = parts.configuration.currentDate()
    let control = CacheControl(answer.head.headers)
    if control.contains("no-store") || control.contains("no-cache") { return now }
    let isExplicit = control.contains("max-age") || answer.head.headers.contains(name: "Expires")
    let end = isExplicit ? answer.freshUntil : now.addingTimeInterval(60)
    return min(end, now.addingTimeInterval(24 * 3600))
  }

  private func fetch(with fetcher: any ImageFetching) async throws(ImageError) -> FetchedData {
    let outcome = await parts.fetchSlots.run(priority: job.priority) {
      () -> Result<FetchedData, ImageError> in
      let start = parts.configuration.now()
      do {
        let content = try await parts.events.observeFetcher(name) { try await fetcher.fetch() }
        return .success(FetchedData(content, source: .network, timings: timings(.network, since: start)))
      } catch let error as ImageError {
        return .failure(error)
      } catch is CancellationError {
        return .failure(.cancelled(name))
      } catch {
        return .failure(.fetchFailed(name, underlying: error))
      }
    }
    guard let outcome else { throw .cancelled(name) }
    return try outcome.get()
  }

  private func timings(_ stage: ImageStage, since start: ContinuousClock.Instant) -> StageTimings {
    var timings = StageTimings()
    timings.add(stage, start.duration(to: parts.configuration.now()))
    return timings
  }
}
