import OzuHTTP

/// What was made before: the finished picture in memory or on disk, and what may be done with it when it is stale.
extension LoadImage {
  /// What the caches have of the finished picture: the rendition on disk, or the picture in memory that was too
  /// stale to be served without asking.
  struct Made {
    var rendition: ImageCaches.Rendition?
    var picture: CachedPicture?
    var timings = StageTimings()

    var isEmpty: Bool { rendition == nil && picture == nil }
  }

  /// Whether there may be a finished picture on disk. Whole pictures from URLs are kept as their originals, unless
  /// originals are not kept.
  var mayHaveRendition: Bool {
    if request.format != nil { return request.mayHaveRendition }
    return request.mayHaveRendition || configuration.sources.usesFetcher(request.source)
      || storagePolicy == .encodedImages && request.source.filePath == nil
  }

  func madeBefore() async -> Made {
    var made = Made()
    if request.readsMemory { made.picture = parts.lookAgain(for: request) }
    guard mayHaveRendition, request.readsRenditions, made.picture == nil else { return made }
    let start = configuration.now()
    activity.enter(.disk)
    let learns = mayDerive && request.resize != nil && !parts.relatives.hasLearnt(of: request.key.source)
    made.rendition = await parts.diskQueue.run(priority: job.priority, activity: activity) {
      [parts, request] flag in
      if flag.isRaised { return nil }
      if let rendition = parts.caches.rendition(for: request) { return rendition }
      // While the thread is here: nearly always there is nothing, which the index in memory knows.
      let source = request.key.source
      if learns { parts.relatives.learn(parts.caches.storedRelatives(of: source), of: source) }
      return nil
    }
    if made.rendition != nil { made.timings.add(.read, start.duration(to: configuration.now())) }
    return made
  }

  /// What was made before, if it may be served without asking its origin.
  func serve(_ made: Made) async throws(ImageError) -> LoadedPicture? {
    let date = configuration.currentDate()
    if let cached = made.picture, request.mayServe(cached.validity, at: date) {
      // It came to be after the request had looked.
      return LoadedPicture(
        picture: cached.picture, source: .memory, encodedByteCount: 0, timings: made.timings,
        verdict: ImageResponse.Verdict(cached.validity, now: date))
    }
    guard let rendition = made.rendition else { return nil }
    let isFresh = request.mayServe(rendition.validity, at: date)
    guard isFresh || request.cachePolicy == .cacheOnly else { return nil }
    return try await finish(
      rendition, timings: made.timings, source: isFresh ? .rendition : .stale,
      verdict: ImageResponse.Verdict(rendition.validity, now: date))
  }

  /// The picture of a rendition; nil, and the rendition removed, when it does not decode.
  func finish(
    _ rendition: ImageCaches.Rendition, timings: StageTimings, source: ImageResponse.Source,
    verdict: ImageResponse.Verdict
  ) async throws(ImageError) -> LoadedPicture? {
    var timings = timings
    do {
      let rendered = try await render([.decode(rendition.data, nil)], from: Origin())
      timings.add(rendered.timings)
      let picture = Picture(rendered.picture.bitmap, header: rendition.header)
      keep(picture, stamp: rendition.stamp, validity: rendition.validity)
      return LoadedPicture(
        picture: picture, source: source, encodedByteCount: rendition.data.count, timings: timings,
        verdict: verdict)
    } catch {
      if error.isEndOfInterest { throw error }
      await removeRendition()
      return nil
    }
  }

  func removeRendition() async {
    await parts.diskQueue.run(priority: job.priority) { [parts, request] _ in
      parts.caches.removeRendition(for: request)
      parts.caches.forgetStored(request)
    }
  }

  /// What was made before, when its origin cannot be reached and the original is no longer there to say what may
  /// be served instead.
  func standIn(_ made: Made) async throws(ImageError) -> LoadedPicture? {
    let validity = made.picture?.validity ?? made.rendition?.validity
    guard request.cachePolicy == .useCaches, let validity, validity.mayOutlive else { return nil }
    let staleness = configuration.currentDate().timeIntervalSince(validity.freshUntil)
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

  /// What was made before, when the origin's bytes are still those it was made from; it is as fresh as they are now.
  /// What was made from other bytes dies.
  func renew(_ made: Made, _ fetched: FetchedData) async throws(ImageError) -> LoadedPicture? {
    guard let validity = fetched.validity else { return nil }
    var timings = made.timings
    timings.add(fetched.timings)
    let verdict = ImageResponse.Verdict(fetched.http?.decision)
    if let cached = made.picture, validity.hasBody(of: cached.validity), fetched.allowsStoring {
      keep(cached.picture, stamp: nil, validity: validity)
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
    guard request.writesRenditions else { return loaded }
    await parts.backlog.add(byteCount: rendition.data.count) { [parts, request] in
      parts.caches.store(rendition, for: request)
    }
    return loaded
  }
}
