import OzuHTTP

/// What was made before: the finished picture in memory or in a store, and what may be done with it when it is stale.
extension LoadImage {
  /// What the caches have of the finished picture: its rendition, or the picture in memory that was too stale to be
  /// served without asking.
  struct Made {
    var rendition: ImageCaches.Rendition?
    var picture: CachedPicture?
    var timings = StageTimings()
    /// Why there is nothing that could be served.
    var miss: ImageResponse.RenditionMiss?

    var isEmpty: Bool { rendition == nil && picture == nil }
  }

  // MARK: Stages

  /// Memory, once more: the picture may have come since the request looked, or it is stale.
  func lookIntoMemory() -> JobStep? {
    guard request.readsMemory else { return nil }
    made.picture = context.lookAgain(for: request)
    let date = configuration.testing.currentDate()
    guard let cached = made.picture, request.mayServe(cached.validity, at: date) else { return nil }
    return finish(
      LoadedPicture(
        picture: cached.picture, source: .memory, timings: made.timings,
        verdict: ImageResponse.Verdict(cached.validity, now: date)))
  }

  /// The finished picture in a store, if it may be served without asking its origin.
  func readRendition() -> JobStep? {
    guard mayHaveRendition, request.readsRenditions, made.picture == nil else { return nil }
    let source = request.key.source
    let learns = mayDerive && request.resize != nil && !context.relatives.hasLearnt(of: source)
    let mayHave = context.caches.mayHaveRendition(for: request)
    guard mayHave || learns && context.caches.mayHaveRelatives(of: source) else {
      context.caches.noteAbsence(of: request)
      return nil
    }
    let start = configuration.instant
    return go(.disk) { load, _ in
      if load.cancellation.isRaised { return load.fail(.cancelled(load.request.source.name)) }
      let (caches, request) = (load.context.caches, load.request)
      if let rendition = caches.nearRendition(for: request) { return load.serve(rendition, since: start) }
      // While the thread is here.
      if learns { load.context.relatives.learn(caches.storedRelatives(of: source), of: source) }
      guard caches.mayHaveFarRendition(for: request) else { return nil }
      return load.go(.levels) { load, _ in
        load.context.caches.farRendition(for: load.request).flatMap { load.serve($0, since: start) }
      }
    }
  }

  /// Notes why there was nothing, before another picture is noted as made.
  func noteMiss() -> JobStep? {
    guard request.cachePolicy.readsCaches, request.readsMemory || request.readsRenditions else { return nil }
    if made.miss == nil { made.miss = made.isEmpty ? context.relatives.absence(of: request.key) : .outdated }
    return nil
  }

  private func serve(
    _ rendition: ImageCaches.Rendition, since start: JobInstant
  ) -> JobStep? {
    made.rendition = rendition
    var timings = made.timings
    timings.add(.read, start.duration(to: configuration.instant))
    made.timings = timings
    let date = configuration.testing.currentDate()
    let isFresh = request.mayServe(rendition.validity, at: date)
    guard isFresh || request.cachePolicy == .cacheOnly else { return nil }
    return finish(
      rendition, timings: made.timings, source: isFresh ? .rendition : .stale,
      verdict: ImageResponse.Verdict(rendition.validity, now: date)
    ) { _ in nil }
  }

  // MARK: Renditions

  /// Ends with the picture of a rendition. One that does not decode is removed.
  ///
  /// - Parameters:
  ///   - writes: what is stored then, and waited for where there is no room.
  ///   - otherwise: goes on when it does not decode.
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
        if error.isEndOfInterest { return load.fail(error) }
        load.made.rendition = nil
        load.made.miss = .damaged
        load.removeRendition()
        return otherwise(load)
      }
    }
  }

  /// Has the rendition removed, behind the caller's back and before another is written.
  func removeRendition() {
    context.backlog.enqueue { [context, request] in
      context.caches.removeRendition(for: request)
      context.caches.forgetStored(request)
    }
  }

  /// Whether there may be a finished picture in a store, as far as the request tells. Whole pictures from URLs are kept
  /// as their originals, unless originals are not kept.
  var mayHaveRendition: Bool {
    if request.format != nil || request.region != nil { return request.mayHaveRendition }
    return request.mayHaveRendition || !isFromWeb && configuration.sources.usesFetcher(request.source)
      || storagePolicy == .encodedImages && request.source.filePath == nil
  }

  /// Whether the source is an address of the web for certain, and no fetcher's: without a copy of the source.
  var isFromWeb: Bool { request.isOnWeb && !configuration.sources.hasResolvers }

  // MARK: Stale pictures

  /// What was made before, when its origin cannot be reached and the original is no longer there to say what may be
  /// served instead.
  func standIn(for error: ImageError) -> JobStep {
    let validity = made.picture?.validity ?? made.rendition?.validity
    guard error.isDisconnection, request.cachePolicy == .useCaches, let validity, validity.mayOutlive else {
      return fail(error)
    }
    let verdict = ImageResponse.Verdict.standIn(validity, now: configuration.testing.currentDate())
    if let cached = made.picture {
      return finish(
        LoadedPicture(picture: cached.picture, source: .stale, timings: made.timings, verdict: verdict))
    }
    guard let rendition = made.rendition else { return fail(error) }
    return finish(rendition, timings: made.timings, source: .stale, verdict: verdict) { $0.fail(error) }
  }

  /// What was made before, when the origin's bytes are still those it was made from; it is as fresh as they are now.
  /// What was made from other bytes dies.
  func renew(_ fetched: FetchedData) -> JobStep? {
    guard let validity = fetched.validity else { return nil }
    let origin = origin(of: fetched)
    let timings = made.timings.adding(origin.timings)
    if let cached = made.picture, validity.hasBody(of: cached.validity), fetched.allowsStoring {
      keep(cached.picture, stamp: nil, validity: validity)
      return finish(
        LoadedPicture(
          picture: cached.picture, source: origin.source == .original ? .memory : origin.source,
          timings: timings, verdict: origin.verdict))
    }
    guard let old = made.rendition else { return nil }
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
