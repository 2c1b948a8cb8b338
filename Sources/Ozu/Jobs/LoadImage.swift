import Foundation
import OzuHTTP

/// What a load brought, shared by every request that wants it.
struct LoadedPicture: Sendable {
  let picture: Picture
  let source: ImageResponse.Source
  let encodedByteCount: Int
  let timings: StageTimings
  let verdict: ImageResponse.Verdict
}

/// The end of a load, shared by every task that waited for it: one object, so that ten thousand of them copy nothing.
final class FinishedLoad: Sendable {
  let loaded: LoadedPicture
  let end: ContinuousClock.Instant

  init(_ loaded: LoadedPicture, at end: ContinuousClock.Instant) {
    self.loaded = loaded
    self.end = end
  }

  /// The answer to one of those who waited.
  ///
  /// - Parameter start: when it began to wait.
  func response(
    to request: ImageRequest, since start: ContinuousClock.Instant, isCoalesced: Bool
  ) -> ImageResponse {
    ImageResponse(
      picture: loaded.picture.at(scale: request), request: request, source: loaded.source,
      isCoalesced: isCoalesced, encodedByteCount: loaded.encodedByteCount, timings: loaded.timings,
      // Who came in the last moment has not waited at all.
      total: max(.zero, start.duration(to: end)), verdict: loaded.verdict)
  }
}

/// The job that answers a request which memory could not: the finished rendition on disk, else a larger picture of
/// the same source, else the source's bytes, rendered; then into the caches, behind the caller's back.
///
/// What the disk cache has is believed only as far as it decodes: a rendition or an original that does not is
/// removed, and the load goes on to the next source.
struct LoadImage: Sendable {
  let parts: PipelineParts
  let request: ImageRequest
  let job: PipelineParts.LoadJobs.Handle
  let activity: JobActivity

  init(parts: PipelineParts, request: ImageRequest, job: PipelineParts.LoadJobs.Handle) {
    self.parts = parts
    self.request = request
    self.job = job
    activity = JobActivity(
      .load, of: request, priority: job.priority,
      now: parts.configuration.now, subscribers: { job.subscriberCount })
  }

  var configuration: ImagePipeline.Configuration { parts.configuration }
  var storagePolicy: StoragePolicy { request.storagePolicy ?? configuration.storagePolicy }

  /// Whether smaller pictures may be made from this one.
  private var isRelative: Bool {
    configuration.isDerivationEnabled && request.resize != nil && request.processors.isEmpty
      && request.cachePolicy == .useCaches && request.writesMemory
  }

  func run() async -> Result<FinishedLoad, ImageError> {
    let outcome = await load()
    return outcome.map { FinishedLoad($0, at: configuration.now()) }
  }

  private func load() async -> Result<LoadedPicture, ImageError> {
    let place = parts.board.add(activity)
    let relative = isRelative ? parts.relatives.begin(request) : nil
    defer {
      parts.board.remove(place)
      if let relative { parts.relatives.end(relative, of: request.key.source) }
    }
    do throws(ImageError) {
      let made = await madeBefore()
      if let loaded = try await serve(made) { return .success(loaded) }
      if made.isEmpty, let loaded = try await derive(apartFrom: relative) { return .success(loaded) }
      return .success(try await loadSource(made))
    } catch {
      removePreview()
      return .failure(error)
    }
  }

  // MARK: From the source

  private func loadSource(_ made: Made) async throws(ImageError) -> LoadedPicture {
    let fetched: FetchedData
    do {
      fetched = try await fetch(policy: request.cachePolicy)
    } catch {
      if error.isDisconnection, let loaded = try await standIn(made) { return loaded }
      throw error
    }
    if let loaded = try await renew(made, fetched) { return loaded }
    do {
      return try await finish(fetched)
    } catch {
      parts.liveFetches.forget(.fetch(request, number: 0))
      guard fetched.isFromDiskCache, !error.isEndOfInterest, request.cachePolicy == .useCaches else {
        noteFailure(error)
        throw error
      }
      await parts.diskQueue.run(priority: job.priority) { [parts, request] _ in
        parts.caches.removeOriginal(for: request)
      }
      do {
        return try await finish(fetch(policy: .reload))
      } catch let again {
        noteFailure(again)
        throw again
      }
    }
  }

  private func noteFailure(_ error: ImageError) {
    guard request.source.webURL != nil, request.cachePolicy.writesCaches else { return }
    parts.failures.note(error, for: request.key.source, freshUntil: nil, now: configuration.currentDate())
  }

  private func fetch(policy: CachePolicy) async throws(ImageError) -> FetchedData {
    var request = request
    request.cachePolicy = policy
    if let live = liveFetch(request) { return live }
    activity.enter(.download)
    let name = request.source.name
    let key = PipelineParts.JobKey.fetch(request, number: parts.sharingNumber())
    let previews = beginPreviews(of: key)
    defer { previews?.end() }
    let fetched = try await Deadline(configuration.stageTimeouts[.network], configuration).run(
      expiring: { .deadlineExceeded(name, stage: .network) },
      { [parts, request, job] in
        do throws(ImageError) {
          return .success(
            try await parts.fetch(request, key: key, priority: job.priority, onProgress: { job.report($0) }))
        } catch {
          return .failure(error)
        }
      }
    ).get()
    if policy == .useCaches, configuration.isCoalescingEnabled {
      parts.liveFetches.note(fetched, for: .fetch(request, number: 0))
    }
    return fetched
  }

  /// What another load still works with, if it may be used without asking again.
  private func liveFetch(_ request: ImageRequest) -> FetchedData? {
    guard request.cachePolicy == .useCaches, configuration.isCoalescingEnabled,
      let live = parts.liveFetches.data(for: .fetch(request, number: 0)), live.allowsStoring,
      request.mayServe(live.validity, at: configuration.currentDate())
    else { return nil }
    guard let path = request.source.filePath else { return live }
    return FileStamp(path: path) == live.stamp ? live : nil
  }

  /// Whether the picture is handed over undecoded: nothing is made of it.
  private var isDeferred: Bool {
    !configuration.isDecompressionEnabled && request.decodingResize == nil && request.decodedSteps.isEmpty
  }

  private func finish(_ fetched: FetchedData) async throws(ImageError) -> LoadedPicture {
    let first: RenderStep
    let encodedByteCount: Int
    switch fetched.content {
    case .data(let data):
      first = isDeferred ? .deferDecoding(data) : .decode(data, request.decodingResize)
      encodedByteCount = data.count
    case .picture(let whole):
      first = .resize(whole, request.decodingResize)
      encodedByteCount = 0
    }
    let rendered = try await render([first] + request.decodedSteps.map(RenderStep.process), from: fetched)
    var timings = fetched.timings
    timings.add(rendered.timings)
    let picture = rendered.picture
    if request.cachePolicy.writesCaches {
      if fetched.allowsStoring {
        keep(picture, stamp: fetched.stamp, validity: fetched.validity)
        await storeOnDisk(picture, fetched)
      } else {
        // What was made before was made from what this answer has outdated.
        parts.caches.memory.removeValue(forKey: request.key)
        if mayHaveRendition { await removeRendition() }
      }
    }
    return LoadedPicture(
      picture: picture, source: fetched.source, encodedByteCount: encodedByteCount, timings: timings,
      verdict: ImageResponse.Verdict(fetched.http?.decision))
  }

  // MARK: Rendering

  /// What steps start from, when it is nobody else's.
  final class Origin: Sendable {}

  /// The result of steps of which the last makes the picture of the request, and those before it pictures that others
  /// may want too.
  func render(
    _ steps: [RenderStep], from origin: any AnyObject & Sendable
  ) async throws(ImageError) -> Rendered {
    activity.enter(.step)
    let number = parts.sharingNumber()
    let identity = ObjectIdentifier(origin)
    let keys = request.recipeKeys(ofLast: steps.count).map {
      RenderJobs.Key(origin: identity, recipe: $0, number: number)
    }
    let way = RenderJobs.Way(origin: origin, name: request.source.name, keys: keys, steps: steps)
    return try await parts.renders.value(
      of: way, priority: job.priority, cancellation: .cancelled(request.source.name))
  }
}

extension ImageError {
  /// Whether the load ended because nobody waits any longer, and not because of what it found.
  var isEndOfInterest: Bool {
    switch self {
    case .cancelled, .deadlineExceeded: true
    default: false
    }
  }
}

extension ImageRequest {
  /// The keys of the picture after its last steps, the finished one at the end.
  func recipeKeys(ofLast count: Int) -> [CacheKey] {
    if format?.hasHooks == true {
      // Nobody else's steps are like those of a closure.
      return (1..<count).map { key.rendition.derived("step \($0)") } + [key.rendition]
    }
    guard count > 1, !processors.isEmpty else { return [key.rendition] }
    var keys = [resize.map { key.source.derived($0.identifier) } ?? key.source]
    for processor in processors.dropLast() { keys.append(keys[keys.count - 1].derived(processor.identifier)) }
    keys.append(key.rendition)
    return Array(keys.suffix(count))
  }

  /// The identity of the picture after the resize and so many processors.
  func prefixKey(processorCount: Int) -> ImageKey {
    let resizing = resize.map { [$0.identifier] } ?? []
    return ImageKey(
      source: key.source, steps: resizing + processors.prefix(processorCount).map(\.identifier))
  }
}
