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
      switch try request.source.access() {
      case .bytes(let data):
        return .success(FetchedData(.data(data), source: .original, timings: StageTimings()))
      case .file(let path): return .success(try await read(path))
      case .network(let url):
        if let original = await cachedOriginal() { return .success(original) }
        try refuseUncached()
        return .success(try await download(url))
      case .fetcher(let fetcher):
        if let original = await cachedOriginal() { return .success(original) }
        try refuseUncached()
        return .success(try await fetch(with: fetcher))
      }
    } catch {
      return .failure(error)
    }
  }

  private func refuseUncached() throws(ImageError) {
    if request.cachePolicy == .cacheOnly { throw .notCached(name) }
  }

  private func cachedOriginal() async -> FetchedData? {
    guard request.cachePolicy.readsCaches else { return nil }
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
      [name] flag -> Result<(data: Data, stamp: FileStamp), ImageError> in
      if flag.isRaised { return .failure(.cancelled(name)) }
      return Result { () throws(ImageError) in try FileReader.read(path, limit: limit) }
    }
    let (data, stamp) = try outcome.get()
    return FetchedData(
      .data(data), source: .original, timings: timings(.read, since: start), stamp: stamp)
  }

  private func download(_ url: URL) async throws(ImageError) -> FetchedData {
    let outcome = await parts.fetchSlots.run(priority: job.priority) { await exchange(url) }
    guard let outcome else { throw .cancelled(name) }
    return try outcome.get()
  }

  private func exchange(_ url: URL) async -> Result<FetchedData, ImageError> {
    let start = parts.configuration.now()
    var exchange = HTTPRequest(
      url: url, headers: ["Accept": "image/*,*/*;q=0.5"], timeouts: parts.configuration.timeouts,
      maximumBodyByteCount: limits.encodedByteCount, priority: job.priority.transport)
    if request.cachePolicy == .reload { exchange.headers["Cache-Control"] = "no-cache" }
    let sink = ImageBodySink { [job] in job.report($0) }
    do throws(HTTPError) {
      let response = try await parts.configuration.httpClient.send(exchange, into: sink)
      if let status = sink.refusedStatus { return .failure(.httpStatus(status, source: name)) }
      return .success(
        FetchedData(
          .data(sink.takeData()), source: .network, timings: timings(.network, since: start),
          head: response.head))
    } catch {
      if let status = sink.refusedStatus { return .failure(.httpStatus(status, source: name)) }
      return .failure(ImageError(error, source: name))
    }
  }

  private func fetch(with fetcher: any ImageFetching) async throws(ImageError) -> FetchedData {
    let outcome = await parts.fetchSlots.run(priority: job.priority) {
      () -> Result<FetchedData, ImageError> in
      let start = parts.configuration.now()
      do {
        let content = try await fetcher.fetch()
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
