import OzuBase
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

  /// A rendition that answers the request once it is decoded.
  struct StoredAnswer {
    enum Occasion {
      /// It may be served as it is.
      case current
      /// Its origin cannot be reached.
      case stale(ImageError)
      /// Its origin has confirmed it, with these bytes.
      case renewed(FetchedData)
    }

    let rendition: ImageCaches.Rendition
    let occasion: Occasion
    let source: ImageResponse.Source
    let timings: StageTimings
    let verdict: ImageResponse.Verdict
  }

  // MARK: Looking

  /// Looks into memory again: another load may have stored the picture after the request looked, or the picture is
  /// stale.
  func lookIntoMemory() -> JobStep? {
    guard request.readsMemory else { return nil }
    cachedResult.picture = context.lookAgain(for: request)
    let date = configuration.testing.currentDate()
    guard let cached = cachedResult.picture, request.mayServe(cached, at: date) else { return nil }
    return finish(
      LoadedPicture(
        picture: cached.picture, source: .memory, timings: cachedResult.timings,
        verdict: cached.verdict(at: date)))
  }

  /// Reads the finished picture, if a store may have it.
  func lookForRendition() -> JobStep? {
    guard mayHaveRendition, request.readsRenditions, cachedResult.picture == nil else { return nil }
    let mayHave = context.caches.mayHave(.rendition(request))
    guard mayHave || wantsVariants && context.caches.mayHaveVariants(of: request.key.source) else {
      context.caches.noteAbsence(.rendition(request))
      return nil
    }
    return go(.disk, .readingRendition(.near, since: context.instant))
  }

  /// Serves the rendition of a store, if it may be served without asking its origin.
  func readRendition(from tiers: ImageCaches.Tiers, since start: JobInstant) -> JobStep? {
    if let rendition = context.caches.rendition(for: request, from: tiers) {
      return serve(rendition, since: start)
    }
    guard tiers == .near else { return nil }
    // This thread may block, so it also loads the list of variants.
    let source = request.key.source
    if wantsVariants { context.variants.learn(context.caches.storedVariants(of: source), of: source) }
    guard context.caches.mayHave(.rendition(request), in: .far) else { return nil }
    return go(.levels, .readingRendition(.far, since: start))
  }

  /// Whether the list of variants on disk may help, and has not been loaded.
  private var wantsVariants: Bool {
    mayDerive && request.resize != nil && !context.variants.hasLearnt(of: request.key.source)
  }

  /// Makes the picture, because no cached result can be served.
  func makeNew() -> JobStep {
    // Before a new result is recorded.
    if request.cachePolicy.readsCaches, request.readsMemory || request.readsRenditions,
      cachedResult.miss == nil
    {
      cachedResult.miss = cachedResult.isEmpty ? context.variants.absence(of: request.key) : .outdated
    }
    guard mayDerive, cachedResult.isEmpty else { return fetchSource() }
    return processPrefix() ?? derive(from: finishedVariants, hasWaited: false)
  }

  // MARK: Renditions

  private func serve(_ rendition: ImageCaches.Rendition, since start: JobInstant) -> JobStep? {
    cachedResult.rendition = rendition
    cachedResult.timings.add(.read, start.duration(to: context.instant))
    let date = configuration.testing.currentDate()
    let isFresh = request.mayServe(rendition.record.validity, at: date)
    guard isFresh || request.cachePolicy == .cacheOnly else { return nil }
    return decode(
      StoredAnswer(
        rendition: rendition, occasion: .current, source: isFresh ? .rendition : .stale,
        timings: cachedResult.timings, verdict: ImageResponse.Verdict(rendition.record.validity, now: date)))
  }

  private func decode(_ answer: StoredAnswer) -> JobStep {
    render(.decode(answer.rendition.data, nil, .written), from: Origin(), .decodingRendition(answer))
  }

  /// Finishes with the picture of a rendition. A rendition that is damaged is removed.
  func finish(_ answer: StoredAnswer, _ outcome: Result<Rendered, ImageError>) -> JobStep {
    let rendition = answer.rendition
    switch outcome {
    case .success(let rendered):
      let picture = rendition.picture(rendered.picture)
      keep(picture, stamp: rendition.record.stamp, validity: rendition.record.validity)
      let loaded = LoadedPicture(
        picture: picture, source: answer.source, encodedByteCount: rendition.data.count,
        timings: answer.timings.adding(rendered.timings), verdict: answer.verdict)
      guard case .renewed(let fetched) = answer.occasion else { return finish(loaded) }
      return finish(loaded, after: storeOriginal(fetched) + store(rendition))
    case .failure(let error):
      if error.isCancelledOrLate { return fail(error) }
      cachedResult.rendition = nil
      cachedResult.miss = .damaged
      if error.isOfFile { removeRendition() }
      switch answer.occasion {
      case .current: return makeNew()
      case .stale(let error): return fail(error)
      case .renewed(let fetched): return render(fetched, isAgain: false)
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

  /// Whether a store can have a rendition of this request, judged by the request and the configuration.
  var mayHaveRendition: Bool {
    switch request.renditionPlace {
    case .none: false
    case .own: true
    case .original:
      configuration.sources.hasResolvers && configuration.sources.usesFetcher(request.source)
        || storagePolicy == .encodedImages && request.source.filePath == nil
    }
  }

  // MARK: Stale pictures

  /// Serves the stale cached result if the origin cannot be reached. Needed when the original is no longer stored, so
  /// that `HTTPCache` cannot decide this.
  func serveStale(after error: ImageError) -> JobStep {
    let validity = cachedResult.picture?.validity ?? cachedResult.rendition?.record.validity
    guard let validity, context.mayServeStale(validity, to: request, after: error) else { return fail(error) }
    let verdict = ImageResponse.Verdict.servedStale(validity, now: configuration.testing.currentDate())
    if let cached = cachedResult.picture {
      return finish(
        LoadedPicture(
          picture: cached.picture, source: .stale, timings: cachedResult.timings, verdict: verdict))
    }
    guard let rendition = cachedResult.rendition else { return fail(error) }
    return decode(
      StoredAnswer(
        rendition: rendition, occasion: .stale(error), source: .stale, timings: cachedResult.timings,
        verdict: verdict))
  }

  /// Serves the cached result if the origin's bytes are unchanged; it is then as fresh as they are. A result made
  /// from other bytes is removed.
  func renew(_ fetched: FetchedData) -> JobStep? {
    guard !cachedResult.isEmpty, let validity = fetched.validity else { return nil }
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
    guard validity.hasBody(of: old.record.validity), fetched.allowsStoring else {
      removeRendition()
      return nil
    }
    var record = old.record
    (record.stamp, record.validity) = (nil, validity)
    return decode(
      StoredAnswer(
        rendition: ImageCaches.Rendition(old.data, record), occasion: .renewed(fetched),
        source: origin.source == .original ? .rendition : origin.source, timings: timings,
        verdict: origin.verdict))
  }
}

/// Deriving the picture from another picture of the same source, if that one is good enough and fresh.
extension LoadImage {
  /// Whether the picture may be derived from another picture of the source.
  private var mayDerive: Bool {
    configuration.caching.isDerivationEnabled && request.cachePolicy.readsCaches
      && !request.recipe.hasHooks
  }

  /// A larger picture in a store.
  struct Larger {
    let variant: KnownVariants.SizeVariant
    /// The pictures to try after it.
    let rest: ArraySlice<KnownVariants.SizeVariant>
    /// Whether the load has waited for a larger picture already.
    let hasWaited: Bool
  }

  /// Starts from the same picture before its last processors, if memory has it.
  private func processPrefix() -> JobStep? {
    for count in request.processors.indices.reversed() {
      let key = request.prefixKey(processorCount: count)
      guard let cached = pictureInMemory(key) else { continue }
      return derive(from: cached, by: .begin(cached.picture), request.processors[count...])
    }
    return nil
  }

  // MARK: From a larger picture

  private var finishedVariants: ArraySlice<KnownVariants.SizeVariant> {
    request.resize == nil ? [] : context.variants.finished(of: request.key.source)[...]
  }

  /// Starts from a larger picture in memory or in a store, from one that is being loaded, or from the source.
  ///
  /// - Parameter variants: the pictures to try, one after the other.
  func derive(from variants: ArraySlice<KnownVariants.SizeVariant>, hasWaited: Bool) -> JobStep {
    var rest = variants
    while let variant = rest.popFirst() {
      guard variant.key != request.key else { continue }
      if let cached = pictureInMemory(variant.key) {
        do throws(ImageError) {
          let header = cached.picture.header
          guard let plan = try derivation(from: variant, header: header, size: cached.picture.size) else {
            continue
          }
          return derive(from: cached, by: .derive(cached.picture, plan), request.processors[...])
        } catch {
          return fail(error)
        }
      }
      if mayRead(variant) {
        let larger = Larger(variant: variant, rest: rest, hasWaited: hasWaited)
        return go(.disk, .readingLarger(larger, .near, since: context.instant))
      }
    }
    return (hasWaited ? nil : waitForLarger()) ?? fetchSource()
  }

  /// Waits for a larger picture that is being loaded.
  private func waitForLarger() -> JobStep? {
    guard request.resize != nil, request.cachePolicy == .useCaches, request.readsMemory,
      configuration.isCoalescingEnabled
    else { return nil }
    let larger = context.variants.loading(of: request.key.source).first { loading in
      loading.id != variantID && loading.epoch.source == epoch.source
        && loading.request.httpPolicy == request.httpPolicy
        && request.recipe.isWorthWaiting(for: loading.request.recipe)
    }
    guard let larger else { return nil }
    return wait(for: Self.dependence(on: larger.request, context, larger.epoch), .waitingForLarger)
  }

  /// Goes on when the load of a larger picture is over.
  func derive(afterLarger event: JobEvent) -> JobStep {
    // If it failed, this load continues by itself and reports its own error.
    guard case .finished(let larger as LoadImage) = event, case .success = larger.outcome else {
      return fetchSource()
    }
    return derive(from: finishedVariants, hasWaited: true)
  }

  /// Whether to read a picture from a store. One without a resize is stored as its original; to decode that at a
  /// reduced scale is cheaper.
  private func mayRead(_ variant: KnownVariants.SizeVariant) -> Bool {
    guard request.readsRenditions, variant.resize != nil, let size = request.resize?.size else {
      return false
    }
    return variant.size.width > size.width || variant.size.height > size.height
  }

  func read(_ larger: Larger, from tiers: ImageCaches.Tiers, since start: JobInstant) -> JobStep {
    let (variant, source, caches) = (larger.variant, request.source, context.caches)
    guard let rendition = caches.rendition(variant.key, of: source, in: variant.kind, from: tiers) else {
      if tiers == .near, caches.mayHaveFar(variant.key, of: source, in: variant.kind) {
        return go(.levels, .readingLarger(larger, .far, since: start))
      }
      context.variants.forget(variant.key)
      return tryNext(after: larger)
    }
    do throws(ImageError) {
      guard isUsable(rendition.record.validity),
        let derivation = try derivation(from: variant, header: rendition.record.header, size: variant.size)
      else { return tryNext(after: larger) }
      var timings = StageTimings()
      timings.add(.read, start.duration(to: context.instant))
      // Under the request's own treatment of colours, which is that of the larger picture (`Recipe.canBeMade`).
      return render(
        .decode(rendition.data, nil, request.decoding), from: Origin(),
        .decodingLarger(larger, rendition, derivation, timings))
    } catch {
      return fail(error)
    }
  }

  /// Goes on with the pixels of a larger picture from a store.
  func derive(
    from larger: Larger, _ rendition: ImageCaches.Rendition, by derivation: Derivation,
    _ outcome: Result<Rendered, ImageError>, _ timings: StageTimings
  ) -> JobStep {
    switch outcome {
    case .failure(let error): return error.isCancelledOrLate ? fail(error) : tryNext(after: larger)
    case .success(let rendered):
      guard rendered.picture.size == larger.variant.size else { return tryNext(after: larger) }
      let cached = CachedPicture(
        picture: rendition.picture(rendered.picture), stamp: rendition.record.stamp,
        validity: rendition.record.validity)
      return derive(
        from: cached, by: .derive(cached.picture, derivation), request.processors[...],
        timings: timings.adding(rendered.timings))
    }
  }

  private func tryNext(after larger: Larger) -> JobStep {
    derive(from: larger.rest, hasWaited: larger.hasWaited)
  }

  private func derivation(
    from variant: KnownVariants.SizeVariant, header: ImageHeader?, size: PixelSize
  ) throws(ImageError) -> Derivation? {
    guard let header else { return nil }
    do throws(ImageDecodingError) {
      return try Derivation(of: request.recipe, from: variant.recipe, size: size, header: header)
    } catch {
      throw ImageError(error, source: request.source.name)
    }
  }

  /// The picture of a key in memory, if it may be used without asking the origin.
  private func pictureInMemory(_ key: ImageKey) -> CachedPicture? {
    guard request.readsMemory, let cached = context.caches.currentPicture(key, of: request),
      isUsable(cached.validity)
    else {
      return nil
    }
    context.events.counters.repeatedHits.increment()
    return cached
  }

  private func isUsable(_ validity: OriginalValidity?) -> Bool {
    request.cachePolicy == .cacheOnly || request.mayServe(validity, at: configuration.testing.currentDate())
  }

  // MARK: From a picture at hand

  private func derive(
    from cached: CachedPicture, by first: RenderStep, _ processors: ArraySlice<any ImageProcessing>,
    timings: StageTimings = StageTimings()
  ) -> JobStep {
    render(first, processors, from: cached, .deriving(cached, timings))
  }

  func finish(
    from cached: CachedPicture, _ outcome: Result<Rendered, ImageError>, _ timings: StageTimings
  ) -> JobStep {
    switch outcome {
    case .failure(let error): return fail(error)
    case .success(let rendered):
      let loaded = LoadedPicture(
        picture: rendered.picture, source: .derived, timings: timings.adding(rendered.timings),
        verdict: cached.verdict(at: configuration.testing.currentDate()),
        renditionMiss: cachedResult.miss)
      guard request.cachePolicy.writesCaches else { return finish(loaded) }
      keep(rendered.picture, stamp: cached.stamp, validity: cached.validity)
      return finish(
        loaded, after: store(rendered.picture, stamp: cached.stamp, validity: cached.validity))
    }
  }
}
