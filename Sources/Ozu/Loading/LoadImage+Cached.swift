import OzuHTTP

/// Results of earlier loads: the finished picture in memory or in a store, and the rules for using it when it is
/// stale.
extension LoadImage {
  /// The cached result of the request: its rendition, or a picture in memory that was too stale to be served without
  /// asking the origin.
  struct CachedResult {
    var rendition: ImageCaches.Rendition?
    var picture: CachedPicture?
    var timings = StageTimings()
    /// Why no cached result could be served.
    var miss: ImageResponse.RenditionMiss?

    var isEmpty: Bool { rendition == nil && picture == nil }
  }

  // MARK: Stages

  /// Looks into memory again: another load may have stored the picture after the request looked, or the picture is
  /// stale.
  func lookIntoMemory() -> JobStep? {
    guard request.readsMemory else { return nil }
    cachedResult.picture = context.lookAgain(for: request)
    let date = configuration.testing.currentDate()
    guard let cached = cachedResult.picture, request.mayServe(cached.validity, at: date) else { return nil }
    return finish(
      LoadedPicture(
        picture: cached.picture, source: .memory, timings: cachedResult.timings,
        verdict: ImageResponse.Verdict(cached.validity, now: date)))
  }

  /// Reads the finished picture from a store, if it may be served without asking its origin.
  func readRendition() -> JobStep? {
    guard mayHaveRendition, request.readsRenditions, cachedResult.picture == nil else { return nil }
    let source = request.key.source
    let learns = mayDerive && request.resize != nil && !context.variants.hasLearnt(of: source)
    let mayHave = context.caches.mayHave(.rendition(request))
    guard mayHave || learns && context.caches.mayHaveVariants(of: source) else {
      context.caches.noteAbsence(.rendition(request))
      return nil
    }
    let start = configuration.instant
    return go(.disk) { load, _ in
      if load.cancellation.isRaised { return load.fail(.cancelled(load.request.source.name)) }
      let (caches, request) = (load.context.caches, load.request)
      if let rendition = caches.rendition(for: request, from: .near) {
        return load.serve(rendition, since: start)
      }
      // This thread may block, so it also loads the list of variants.
      if learns { load.context.variants.learn(caches.storedVariants(of: source), of: source) }
      guard caches.mayHave(.rendition(request), in: .far) else { return nil }
      return load.go(.levels) { load, _ in
        load.context.caches.rendition(for: load.request, from: .far).flatMap { load.serve($0, since: start) }
      }
    }
  }

  /// Records why there was no cached result, before a new result is recorded.
  func noteMiss() -> JobStep? {
    guard request.cachePolicy.readsCaches, request.readsMemory || request.readsRenditions else { return nil }
    if cachedResult.miss == nil {
      cachedResult.miss = cachedResult.isEmpty ? context.variants.absence(of: request.key) : .outdated
    }
    return nil
  }

  private func serve(
    _ rendition: ImageCaches.Rendition, since start: JobInstant
  ) -> JobStep? {
    cachedResult.rendition = rendition
    var timings = cachedResult.timings
    timings.add(.read, start.duration(to: configuration.instant))
    cachedResult.timings = timings
    let date = configuration.testing.currentDate()
    let isFresh = request.mayServe(rendition.validity, at: date)
    guard isFresh || request.cachePolicy == .cacheOnly else { return nil }
    return finish(
      rendition, timings: cachedResult.timings, source: isFresh ? .rendition : .stale,
      verdict: ImageResponse.Verdict(rendition.validity, now: date)
    ) { _ in nil }
  }

  // MARK: Renditions

  /// Finishes with the picture of a rendition. A rendition that does not decode is removed.
  ///
  /// - Parameters:
  ///   - writes: starts the writes that follow, and returns those that the load must wait for because the backlog is
  ///     full.
  ///   - otherwise: continues when the rendition does not decode.
  func finish(
    _ rendition: ImageCaches.Rendition, timings: StageTimings, source: ImageResponse.Source,
    verdict: ImageResponse.Verdict, writes: ((LoadImage) -> [JobDependence])? = nil,
    otherwise: @escaping (LoadImage) -> JobStep?
  ) -> JobStep {
    render(.decode(rendition.data, nil, .written), from: Origin()) { load, outcome in
      switch outcome {
      case .success(let rendered):
        let picture = rendition.picture(rendered.picture)
        load.keep(picture, stamp: rendition.stamp, validity: rendition.validity)
        let loaded = LoadedPicture(
          picture: picture, source: source, encodedByteCount: rendition.data.count,
          timings: timings.adding(rendered.timings), verdict: verdict)
        return load.finish(loaded, after: writes?(load) ?? [])
      case .failure(let error):
        if error.isCancelledOrLate { return load.fail(error) }
        load.cachedResult.rendition = nil
        load.cachedResult.miss = .damaged
        load.removeRendition()
        return otherwise(load)
      }
    }
  }

  /// Removes the rendition in the background, before any later write.
  func removeRendition() {
    context.backlog.enqueue { [context, request, right] in
      guard right.isValid else { return }
      context.caches.removeRendition(for: request)
      context.caches.forgetStored(request)
    }
  }

  /// Whether a store can have a rendition of this request, judged by the request alone. Pictures from URLs without a
  /// recipe are stored as their originals, unless originals are not stored.
  var mayHaveRendition: Bool {
    if request.format != nil || request.region != nil { return request.mayHaveRendition }
    return request.mayHaveRendition || !isFromWeb && configuration.sources.usesFetcher(request.source)
      || storagePolicy == .encodedImages && request.source.filePath == nil
  }

  /// Whether the source is certainly a web address and not handled by a fetcher. Does not copy the source.
  var isFromWeb: Bool { request.isOnWeb && !configuration.sources.hasResolvers }

  // MARK: Stale pictures

  /// Serves the stale cached result if the origin cannot be reached. Needed when the original is no longer stored, so
  /// that `HTTPCache` cannot decide this.
  func serveStale(after error: ImageError) -> JobStep {
    let validity = cachedResult.picture?.validity ?? cachedResult.rendition?.validity
    guard error.isDisconnection, request.cachePolicy == .useCaches, let validity, validity.mayUseOffline
    else {
      return fail(error)
    }
    let verdict = ImageResponse.Verdict.servedStale(validity, now: configuration.testing.currentDate())
    if let cached = cachedResult.picture {
      return finish(
        LoadedPicture(
          picture: cached.picture, source: .stale, timings: cachedResult.timings, verdict: verdict))
    }
    guard let rendition = cachedResult.rendition else { return fail(error) }
    return finish(rendition, timings: cachedResult.timings, source: .stale, verdict: verdict) {
      $0.fail(error)
    }
  }

  /// Serves the cached result if the origin's bytes are unchanged; it is then as fresh as they are. A result made
  /// from other bytes is removed.
  func renew(_ fetched: FetchedData) -> JobStep? {
    guard let validity = fetched.validity else { return nil }
    let origin = origin(of: fetched)
    let timings = cachedResult.timings.adding(origin.timings)
    if let cached = cachedResult.picture, validity.hasBody(of: cached.validity), fetched.allowsStoring {
      keep(cached.picture, stamp: nil, validity: validity)
      return finish(
        LoadedPicture(
          picture: cached.picture, source: origin.source == .original ? .memory : origin.source,
          timings: timings, verdict: origin.verdict), after: storeOriginal(fetched))
    }
    guard let old = cachedResult.rendition else { return nil }
    guard validity.hasBody(of: old.validity), fetched.allowsStoring else {
      removeRendition()
      return nil
    }
    let rendition = ImageCaches.Rendition(
      data: old.data, header: old.header, stamp: nil, validity: validity, notes: old.notes)
    return finish(
      rendition, timings: timings, source: origin.source == .original ? .rendition : origin.source,
      verdict: origin.verdict, writes: { $0.storeOriginal(fetched) + $0.store(rendition) },
      otherwise: { $0.renderSource(fetched) })
  }
}

extension StageTimings {
  func adding(_ other: StageTimings) -> StageTimings {
    var sum = self
    sum.add(other)
    return sum
  }
}
