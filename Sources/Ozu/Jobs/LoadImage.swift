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

/// The job that answers a request which memory could not: the finished rendition on disk, else the source's
/// bytes, rendered; then into the caches, behind the caller's back.
///
/// What the disk cache has is believed only as far as it decodes: a rendition or an original that does not is
/// removed, and the load goes on to the next source.
struct LoadImage: Sendable {
  let parts: PipelineParts
  let request: ImageRequest
  let job: PipelineParts.LoadJobs.Handle

  private var renderer: RenderImage { RenderImage(parts: parts, name: request.source.name) }

  func run() async -> Result<LoadedPicture, ImageError> {
    do throws(ImageError) {
      let made = await madeBefore()
      if let loaded = try await serve(made) { return .success(loaded) }
      return .success(try await loadSource(made))
    } catch {
      return .failure(error)
    }
  }

  // MARK: What was made before

  /// What the caches have of the finished picture: the rendition on disk, or the picture in memory that was too
  /// stale to be served without asking.
  private struct Made {
    var rendition: ImageCaches.Rendition?
    var picture: CachedPicture?
    var timings = StageTimings()
  }

  /// Whole pictures are kept as their originals, but for those that a fetcher brings as pixels.
  private var mayHaveRendition: Bool {
    if case .fetcher = request.source { true } else { request.hasRecipe }
  }

  private func madeBefore() async -> Made {
    var made = Made()
    guard request.cachePolicy.readsCaches else { return made }
    made.picture = parts.caches.cachedPicture(for: request)
    guard mayHaveRendition, made.picture == nil else { return made }
    let start = parts.configuration.now()
    made.rendition = await parts.diskQueue.run(priority: job.priority) { [parts, request] flag in
      flag.isRaised ? nil : parts.caches.rendition(for: request)
    }
    if made.rendition != nil { made.timings.add(.read, start.duration(to: parts.configuration.now())) }
    return made
  }

  /// The rendition, if it may be served without asking its origin.
  private func serve(_ made: Made) async throws(ImageError) -> LoadedPicture? {
    guard let rendition = made.rendition else { return nil }
    let date = parts.configuration.currentDate()
    let isFresh = request.mayServe(rendition.validity, at: date)
    guard isFresh || request.cachePolicy == .cacheOnly else { return nil }
    return try await finish(
      rendition, timings: made.timings, source: isFresh ? .rendition : .stale,
      verdict: ImageResponse.Verdict(rendition.validity, now: date))
  }

  /// The picture of a rendition; nil, and the rendition removed, when it does not decode.
  private func finish(
    _ rendition: ImageCaches.Rendition, timings: StageTimings, source: ImageResponse.Source,
    verdict: ImageResponse.Verdict
  ) async throws(ImageError) -> LoadedPicture? {
    var timings = timings
    do {
      let rendered = try await renderer.render(
        rendition.data, resize: nil, processors: [], priority: job.priority)
      timings.add(rendered.timings)
      let picture = Picture(rendered.picture.bitmap, header: rendition.header)
      parts.caches.store(picture, stamp: rendition.stamp, validity: rendition.validity, for: request)
      return LoadedPicture(
        picture: picture, source: source, encodedByteCount: rendition.data.count, timings: timings,
        verdict: verdict)
    } catch {
      if error.isCancellation { throw error }
      await removeRendition()
      return nil
    }
  }

  private func removeRendition() async {
    await parts.diskQueue.run(priority: job.priority) { [parts, request] _ in
      parts.caches.removeRendition(for: request)
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
      guard fetched.isFromDiskCache, !error.isCancellation, request.cachePolicy == .useCaches else {
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

  /// What was made before, when its origin cannot be reached and the original is no longer there to say what may
  /// be served instead.
  private func standIn(_ made: Made) async throws(ImageError) -> LoadedPicture? {
    let validity = made.picture?.validity ?? made.rendition?.validity
    guard request.cachePolicy == .useCaches, let validity, validity.mayOutlive else { return nil }
    let staleness = parts.configuration.currentDate().timeIntervalSince(validity.freshUntil)
    let decision = HTTPDecision.fresh(forSeconds: -staleness)
    let verdict = ImageResponse.Verdict.made(
      HTTPDecision(.stale, reason: "\(decision.reason), the origin cannot be reached"))
    if let cached = made.picture {
      return LoadedPicture(
        picture: cached.picture, source: .stale, encodedByteCount: 0, timings: made.timings,
        verdict: verdict)
    }
    guard let rendition = made.rendition else { return nil }
    return try await finish(rendition, timings: made.timings, source: .stale, verdict: verdict)
  }

  private func noteFailure(_ error: ImageError) {
    guard case .url(let url) = request.source, !url.isFileURL, request.cachePolicy.writesCaches else {
      return
    }
    parts.failures.note(
      error, for: request.key.source, freshUntil: nil, now: parts.configuration.currentDate())
  }

  /// What was made before, when the origin's bytes are still those it was made from; it is as fresh as they are now.
  /// What was made from other bytes dies.
  private func renew(_ made: Made, _ fetched: FetchedData) async throws(ImageError) -> LoadedPicture? {
    guard let validity = fetched.validity else { return nil }
    var timings = made.timings
    timings.add(fetched.timings)
    let verdict = ImageResponse.Verdict(fetched.http?.decision)
    if let cached = made.picture, validity.hasBody(of: cached.validity), fetched.allowsStoring {
      parts.caches.store(cached.picture, stamp: nil, validity: validity, for: request)
      return LoadedPicture(
        picture: cached.picture, source: fetched.source == .original ? .memory : fetched.source,
        encodedByteCount: 0, timings: timings, verdict: verdict)
    }
    guard let old = made.rendition else { return nil }
    guard validity.hasBody(of: old.validity), fetched.allowsStoring else {
      await removeRendition()
      return nil
    }
    let rendition = ImageCaches.Rendition(
      data: old.data, header: old.header, stamp: nil, validity: validity)
    let loaded = try await finish(
      rendition, timings: timings, source: fetched.source == .original ? .rendition : fetched.source,
      verdict: verdict)
    guard loaded != nil else { return nil }
    await storeOriginal(fetched)
    await parts.backlog.add(byteCount: rendition.data.count) { [parts, request] in
      parts.caches.store(rendition, for: request)
    }
    return loaded
  }

  private func fetch(policy: CachePolicy) async throws(ImageError) -> FetchedData {
    var request = request
    request.cachePolicy = policy
    let key = PipelineParts.JobKey(request.key.source, request)
    let (fetched, _) = try await parts.fetches.value(
      for: key, priority: job.priority, cancellation: .cancelled(request.source.name),
      onProgress: { [job] in job.report($0) },
      operation: { [parts, request] job in
        await FetchData(parts: parts, request: request, job: job).run()
      })
    return fetched
  }

  private func finish(_ fetched: FetchedData) async throws(ImageError) -> LoadedPicture {
    var timings = fetched.timings
    let picture: Picture
    let encodedByteCount: Int
    switch fetched.content {
    case .data(let data):
      let rendered = try await renderer.render(
        data, resize: request.resize, processors: request.processors, priority: job.priority)
      timings.add(rendered.timings)
      picture = rendered.picture
      encodedByteCount = data.count
    case .picture(let whole):
      let start = parts.configuration.now()
      picture = try await renderer.render(
        whole, resize: request.resize, processors: request.processors, priority: job.priority)
      timings.add(.resize, start.duration(to: parts.configuration.now()))
      encodedByteCount = 0
    }
    if request.cachePolicy.writesCaches {
      if fetched.allowsStoring {
        parts.caches.store(picture, stamp: fetched.stamp, validity: fetched.validity, for: request)
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

  // MARK: To the disk

  private func storeOriginal(_ fetched: FetchedData) async {
    guard let original = fetched.claimOriginal() else { return }
    await parts.backlog.add(byteCount: original.byteCount) { [parts, request] in
      parts.caches.store(original, for: request)
    }
  }

  private func storeOnDisk(_ picture: Picture, _ fetched: FetchedData) async {
    await storeOriginal(fetched)
    // A rendition that is the original, pixel for pixel, would only take its place twice. Pixels of a fetcher
    // have no original.
    // A rendition is one picture: it would stop an animation, which is made from its original each time.
    let isOriginal = request.processors.isEmpty && picture.header?.size == picture.size
    guard mayHaveRendition, picture.animation == nil, !isOriginal else { return }
    await parts.backlog.add(byteCount: picture.byteCount) { [parts, request] in
      let configuration = parts.configuration
      guard let data = try? ImageCaches.Rendition.encoded(picture.bitmap, by: configuration) else {
        // Nothing is lost: the next request renders again.
        return
      }
      parts.caches.store(
        ImageCaches.Rendition(
          data: data, header: picture.header, stamp: fetched.stamp, validity: fetched.validity), for: request)
    }
  }
}
