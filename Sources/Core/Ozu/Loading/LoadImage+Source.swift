import OzuBase
import OzuHTTP

/// Making the picture from its source, and storing both.
extension LoadImage {
  /// Fetches the original, and makes the picture from it.
  func fetchSource() -> JobStep {
    let key = fetchKey
    let live = fetched ?? fetchInUse(key)
    isFetchReused = live != nil
    if let live { return make(from: live) }
    if let error = context.failure(ofPicture: request) { return serveStale(after: error) }
    origin = originToAsk
    // A closure that captures a single object needs no allocation.
    let begin: @Sendable () -> JobStart = { [self] in
      let fetch = FetchWork(request, context, epoch, origin: origin ?? .none)
      return JobStart(fetch, in: origin.map { _ in .network }, origin: fetch.origin)
    }
    return wait(for: JobDependence(key: key, deadline: context.deadline(.network), make: begin), .fetching)
  }

  /// The key of the download of the source.
  private var fetchKey: JobKey { .fetch(request, number: context.sharingNumber(epoch, request)) }

  /// Goes on when the download is over.
  func make(from outcome: Result<FetchedData, ImageError>) -> JobStep {
    switch outcome {
    case .failure(let error): return serveStale(after: error)
    case .success(let fetched):
      guard configuration.isCoalescingEnabled, request.cachePolicy == .useCaches else {
        return make(from: fetched)
      }
      return make(from: context.fetchesInUse.note(fetched, for: fetchKey))
    }
  }

  private func make(from fetched: FetchedData) -> JobStep {
    renew(fetched) ?? render(fetched, isAgain: false)
  }

  /// Fetches the original again, without reading the caches.
  private func fetchAgain() -> JobStep {
    var request = request
    request.cachePolicy = .reload
    isFetchReused = false
    return wait(for: FetchWork.dependence(on: request, context, epoch), .fetchingAgain)
  }

  /// Goes on when the second download is over.
  func makeAgain(from outcome: Result<FetchedData, ImageError>) -> JobStep {
    switch outcome {
    case .failure(let error): failForGood(error)
    case .success(let fetched): render(fetched, isAgain: true)
    }
  }

  /// The result of the download that the load has waited for.
  func fetched(by event: JobEvent) -> Result<FetchedData, ImageError> {
    switch event {
    case .finished(let fetch as FetchWork):
      endPreviews(of: fetch)
      return fetch.outcome
    case .overdue: return .failure(.deadlineExceeded(request.source.name, stage: .network))
    default: return .failure(.waitsForItself(request.source.name))
    }
  }

  /// The origin of the source, if hints say that only it can answer. The load then queues its download at once, and
  /// looks at source and caches when the download has a place: most of thousands of loads that are cancelled during a
  /// fast scroll never get one.
  private var originToAsk: JobOrigin? {
    guard request.cachePolicy != .cacheOnly, context.failures.isEmpty, !configuration.sources.hasResolvers
    else { return nil }
    // The key of most requests is their address, which is at hand, and that of others is none.
    let hasOwnKey = request.hasOwnKey || !configuration.caching.cacheKeyRules.isEmpty
    let origin =
      hasOwnKey
      ? request.source.webURL.map { JobOrigin($0) } ?? .none : JobOrigin(canonical: request.sourceKey)
    guard origin != .none, !context.caches.mayHave(.original(request)),
      context.backlog.writing(originalOf: request.key.source) == nil
    else { return nil }
    return origin
  }

  /// The bytes that another load still holds, if they may be used without asking the origin again.
  private func fetchInUse(_ key: JobKey) -> FetchedData? {
    guard request.cachePolicy == .useCaches, configuration.isCoalescingEnabled,
      let live = context.fetchesInUse.data(for: key), live.allowsStoring,
      request.mayServe(live.validity, at: configuration.testing.currentDate())
    else { return nil }
    guard let path = request.source.filePath else { return live }
    return FileStamp(path: path) == live.stamp ? live : nil
  }

  /// The origin, timings and verdict of the bytes for this load. Bytes that another load fetched earlier count as a
  /// cached original and not as a second download: the answer is the same whether they are already stored or not.
  func origin(
    of fetched: FetchedData
  ) -> (source: ImageResponse.Source, timings: StageTimings, verdict: ImageResponse.Verdict) {
    let now = configuration.testing.currentDate()
    guard isFetchReused, fetched.source != .stale else {
      return (fetched.source, fetched.timings, ImageResponse.Verdict(fetched.http, now: now))
    }
    let verdict = ImageResponse.Verdict(fetched.validity, now: now)
    return (.original, StageTimings(), verdict)
  }

  /// Whether the picture is returned undecoded, because no step needs its pixels.
  private var isDeferred: Bool {
    !configuration.decoding.isDecompressionEnabled && request.decodingResize == nil
      && request.decodedSteps.isEmpty && request.decoding.isPlain(under: configuration.decoding.colorPolicy)
  }

  // MARK: From bytes to the picture

  /// Makes the picture from the fetched bytes.
  ///
  /// - Parameter isAgain: whether they were fetched because stored ones did not decode.
  func render(_ fetched: FetchedData, isAgain: Bool) -> JobStep {
    let first: RenderStep =
      switch fetched.content {
      case .data(let data) where isDeferred: .deferDecoding(data)
      case .data(let data): .decode(data, request.decodingResize, request.decoding, fetched.file)
      case .picture(let whole): .resize(whole, request.decodingResize)
      }
    return render(first, request.decodedSteps[...], from: fetched, .making(fetched, isAgain: isAgain))
  }

  /// Finishes with the picture from the fetched bytes. A stored original that does not decode is removed and fetched
  /// again.
  func finish(
    from fetched: FetchedData, _ outcome: Result<Rendered, ImageError>, isAgain: Bool
  ) -> JobStep {
    switch outcome {
    case .success(let rendered):
      self.fetched = fetched
      var origin = origin(of: fetched)
      origin.timings.add(rendered.timings)
      let encodedByteCount = if case .data(let data) = fetched.content { data.count } else { 0 }
      let loaded = LoadedPicture(
        picture: rendered.picture, source: origin.source, encodedByteCount: encodedByteCount,
        timings: origin.timings, verdict: origin.verdict,
        renditionMiss: cachedResult.miss)
      return finish(loaded, after: store(rendered.picture, of: fetched))
    case .failure(let error):
      if isAgain { return failForGood(error) }
      context.fetchesInUse.forget(fetchKey)
      guard fetched.isFromStore, error.isOfFile, request.cachePolicy == .useCaches else {
        return failForGood(error)
      }
      let right = context.epochs.right(toOriginalOf: request.key.source, in: epoch)
      context.backlog.enqueue(originalOf: request.key.source) { [context, request] in
        guard right.isValid else { return }
        context.caches.removeOriginal(for: request)
      }
      return fetchAgain()
    }
  }

  /// Fails, and remembers the failure if it is a lasting one.
  private func failForGood(_ error: ImageError) -> JobStep {
    if request.source.webURL != nil, request.cachePolicy.writesCaches {
      context.noteFailure(error, of: request, epoch)
    }
    return fail(error)
  }
}

/// The writes to the caches. Writes to stores happen in the background; if the backlog has no room, the functions
/// return the write, and the load waits for it.
extension LoadImage {
  /// Puts the picture into memory, where smaller pictures can be derived from it.
  func keep(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) {
    guard request.writesMemory || request.writesRenditions, right.isValid else { return }
    context.variants.noteMaking(of: request.key)
    guard request.writesMemory else { return }
    context.caches.store(picture, stamp: stamp, validity: validity, for: request, by: right)
    if right.isValid, let variant = variant(picture) { context.variants.note(variant) }
  }

  /// The right to store the results of the load.
  var right: EpochRight { context.epochs.right(to: request, in: epoch) }

  /// The entry for `KnownVariants`, if the picture can stand in for smaller ones, or for larger ones until these are loaded.
  private func variant(_ picture: Picture) -> KnownVariants.SizeVariant? {
    guard request.recipe.servesOthers, picture.animation == nil, picture.header != nil else { return nil }
    return KnownVariants.SizeVariant(request, size: picture.size)
  }

  /// Stores a picture that was made from its source, and the source itself.
  func store(_ picture: Picture, of fetched: FetchedData) -> [JobDependence] {
    if context.epochs.replaces(request, in: epoch) { forgetFormer() }
    guard request.cachePolicy.writesCaches, right.isValid else { return storeOriginal(fetched) }
    context.variants.noteOrigin(of: request.key.source, allowsStoring: fetched.allowsStoring)
    guard fetched.allowsStoring else {
      // Earlier results were made from bytes that this answer replaces.
      context.caches.memory.removeValue(forKey: request.key)
      if mayHaveRendition { removeRendition() }
      return []
    }
    keep(picture, stamp: fetched.stamp, validity: fetched.validity)
    let writes = storeOriginal(fetched)
    // Pixels of a fetcher have no original.
    guard mayHaveRendition,
      !request.isOriginal(picture) || storagePolicy == .all && request.hasRecipe || isWithoutOriginal(fetched)
    else {
      return writes
    }
    return writes + store(picture, stamp: fetched.stamp, validity: fetched.validity)
  }

  /// Removes the result that a reload replaces.
  private func forgetFormer() {
    if request.writesMemory { context.caches.memory.removeValue(forKey: request.key) }
    guard request.writesRenditions, mayHaveRendition, context.caches.mayHave(.rendition(request)) else {
      return
    }
    context.backlog.enqueue { [context, request] in context.caches.removeRendition(for: request) }
  }

  func storeOriginal(_ fetched: FetchedData) -> [JobDependence] {
    context.storeOriginal(fetched, for: request, epoch)
  }

  /// Whether only the finished picture can be stored, and not the original.
  private func isWithoutOriginal(_ fetched: FetchedData) -> Bool {
    guard case .data = fetched.content else { return true }
    return !storagePolicy.storesOriginals && fetched.isWorthStoring
  }

  /// Encodes a finished picture and writes it to the stores, in the background.
  func store(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) -> [JobDependence] {
    guard !context.caches.stores.isEmpty, context.storesRendition(of: request),
      request.mayKeepRendition(picture)
    else { return [] }
    // For deriving alone. A picture without a resize is stored as its original, so it is not listed as a variant.
    let isListed = configuration.caching.isDerivationEnabled && request.resize != nil
    let variant = isListed ? variant(picture) : nil
    let wait = context.backlog.add(byteCount: picture.byteCount) { [context, request, right] () -> Data? in
      guard right.isValid else { return nil }
      let stage = context.events.stageBegan(.encode, of: request.source.name)
      let data = context.configuration.encodedRendition(of: picture, for: request)
      if data != nil { context.events.counters.encodes.increment() }
      context.events.stageEnded(stage, byteCount: data?.count ?? 0)
      return data
    } write: { [context, request, right] data in
      guard let data else { return }
      let record = RenditionRecord(of: picture, stamp: stamp, validity: validity)
      context.caches.store(ImageCaches.Rendition(data, record), for: request, by: right)
      if let variant, right.isValid {
        context.caches.noteStored(variant, source: request.sourceKey)
      }
    }
    return wait.map { [$0] } ?? []
  }

  /// Writes a rendition again whose validity has been renewed.
  func store(_ rendition: ImageCaches.Rendition) -> [JobDependence] {
    guard !context.caches.stores.isEmpty, request.writesRenditions else { return [] }
    let wait = context.backlog.add(byteCount: rendition.data.count) { [context, request, right] _ in
      context.caches.store(rendition, for: request, by: right)
    }
    return wait.map { [$0] } ?? []
  }
}

extension LoadContext {
  /// What is kept on disk for a request.
  func storagePolicy(of request: ImageRequest) -> StoragePolicy {
    request.storagePolicy ?? configuration.caching.storagePolicy
  }

  /// Whether the finished picture of a request may be written to the stores.
  func storesRendition(of request: ImageRequest) -> Bool {
    request.writesRenditions && storagePolicy(of: request).storesRenditions
  }

  /// Writes the bytes of a source in the background, if they are new. Only the first call for the same bytes does
  /// anything.
  ///
  /// - Returns: the write, if the backlog has no room; the load waits for it.
  func storeOriginal(
    _ fetched: FetchedData, for request: ImageRequest, _ epoch: LoadEpoch
  ) -> [JobDependence] {
    let policy = storagePolicy(of: request)
    let source = request.key.source
    let right = epochs.right(toOriginalOf: source, in: epoch)
    guard !caches.stores.isEmpty, request.writesOriginals, policy.storesOriginals, right.isValid,
      let original = fetched.claimOriginal()
    else { return [] }
    let wait = backlog.add(byteCount: original.byteCount, originalOf: source) { [self] _ in
      caches.store(original, for: request, by: right)
      // Until now other loads found the bytes in `fetchesInUse`; from now on they find them in the store.
      let key = JobKey.fetch(request, number: sharingNumber(epoch, request))
      withExtendedLifetime(fetched) { fetchesInUse.forget(key) }
    }
    return wait.map { [$0] } ?? []
  }
}

extension FetchedData {
  /// Whether this came from a network or a fetcher, and not from a local file or from bytes in the request.
  fileprivate var isWorthStoring: Bool { http != nil || source == .network }
}
