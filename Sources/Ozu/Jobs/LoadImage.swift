import Foundation

/// What a load brought, shared by every request that wants it.
struct LoadedPicture: Sendable {
  let picture: Picture
  let source: ImageResponse.Source
  let encodedByteCount: Int
  let timings: StageTimings
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
      if let loaded = try await loadRendition() { return .success(loaded) }
      return .success(try await loadSource())
    } catch {
      return .failure(error)
    }
  }

  // MARK: From the rendition

  /// Whole pictures are kept as their originals, but for those that a fetcher brings as pixels.
  private var mayHaveRendition: Bool {
    if case .fetcher = request.source { true } else { request.resize != nil }
  }

  private func loadRendition() async throws(ImageError) -> LoadedPicture? {
    guard request.cachePolicy.readsCaches, mayHaveRendition else { return nil }
    let start = parts.configuration.now()
    let rendition = await parts.diskQueue.run(priority: job.priority) { [parts, request] flag in
      flag.isRaised ? nil : parts.caches.rendition(for: request)
    }
    guard let rendition else { return nil }
    var timings = StageTimings()
    timings.add(.read, start.duration(to: parts.configuration.now()))
    do {
      let rendered = try await renderer.render(rendition.data, resize: nil, priority: job.priority)
      timings.add(rendered.timings)
      let picture = Picture(rendered.picture.bitmap, header: rendition.header)
      parts.caches.store(picture, stamp: rendition.stamp, for: request)
      return LoadedPicture(
        picture: picture, source: .rendition, encodedByteCount: rendition.data.count, timings: timings)
    } catch {
      if error.isCancellation { throw error }
      await parts.diskQueue.run(priority: job.priority) { [parts, request] _ in
        parts.caches.removeRendition(for: request)
      }
      return nil
    }
  }

  // MARK: From the source

  private func loadSource() async throws(ImageError) -> LoadedPicture {
    let fetched = try await fetch(policy: request.cachePolicy)
    do {
      return try await finish(fetched)
    } catch {
      guard fetched.isFromDiskCache, !error.isCancellation, request.cachePolicy == .useCaches else {
        throw error
      }
      await parts.diskQueue.run(priority: job.priority) { [parts, request] _ in
        parts.caches.removeOriginal(for: request)
      }
      return try await finish(fetch(policy: .reload))
    }
  }

  private func fetch(policy: CachePolicy) async throws(ImageError) -> FetchedData {
    var request = request
    request.cachePolicy = policy
    let key = PipelineParts.JobKey(key: request.key.source, policy: policy)
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
      let rendered = try await renderer.render(data, resize: request.resize, priority: job.priority)
      timings.add(rendered.timings)
      picture = rendered.picture
      encodedByteCount = data.count
    case .picture(let whole):
      let start = parts.configuration.now()
      picture = await resized(whole)
      timings.add(.resize, start.duration(to: parts.configuration.now()))
      encodedByteCount = 0
    }
    if request.cachePolicy.writesCaches && fetched.allowsStoring {
      parts.caches.store(picture, stamp: fetched.stamp, for: request)
      await storeOnDisk(picture, fetched)
    }
    return LoadedPicture(
      picture: picture, source: fetched.source, encodedByteCount: encodedByteCount, timings: timings)
  }

  private func resized(_ picture: Picture) async -> Picture {
    guard let resize = request.resize else { return picture }
    return await parts.decodeQueue.run(priority: job.priority) { [parts] _ in
      picture.resized(resize, pool: parts.configuration.pixelBufferPool)
    }
  }

  // MARK: To the disk

  private func storeOnDisk(_ picture: Picture, _ fetched: FetchedData) async {
    if let original = fetched.claimOriginal() {
      await parts.backlog.add(byteCount: original.count) { [parts, request] in
        parts.caches.storeOriginal(original, head: fetched.head, for: request)
      }
    }
    // A rendition that is the original, pixel for pixel, would only take its place twice. Pixels of a fetcher
    // have no original.
    // A rendition is one picture: it would stop an animation, which is made from its original each time.
    guard mayHaveRendition, picture.animation == nil, picture.header.map({ $0.size != picture.size }) ?? true
    else { return }
    await parts.backlog.add(byteCount: picture.byteCount) { [parts, request] in
      let configuration = parts.configuration
      let type: ImageType = picture.bitmap.isOpaque ? .jpeg : .png
      let options = EncodingOptions(compressionQuality: configuration.renditionQuality)
      guard let data = try? configuration.codecs.encode(picture.bitmap, as: type, options: options) else {
        // Nothing is lost: the next request renders again.
        return
      }
      parts.caches.storeRendition(data, header: picture.header, stamp: fetched.stamp, for: request)
    }
  }
}
