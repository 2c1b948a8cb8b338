import Foundation

/// The ways to a picture that start from another picture of the same source, where that is good enough, and fresh.
extension LoadImage {
  /// Whether another picture of the source may be started from.
  var mayDerive: Bool {
    configuration.caching.isDerivationEnabled && request.cachePolicy.readsCaches
      && request.format?.hasHooks != true
  }

  /// The same of a larger picture. Notes of pictures do not tell their colours: all that are noted were converted.
  private var mayDeriveFromLarger: Bool { mayDerive && request.convertsColors }

  // MARK: Stages

  /// The same picture before its last processors, in memory.
  func processPrefix() -> JobStep? {
    guard mayDerive, made.isEmpty else { return nil }
    for count in request.processors.indices.reversed() {
      let key = request.prefixKey(processorCount: count)
      guard let cached = standing(key) else { continue }
      return derive(from: cached, by: .begin(cached.picture), request.processors[count...])
    }
    return nil
  }

  /// A larger picture, in memory or in a store.
  func deriveFromLarger() -> JobStep? {
    guard mayDeriveFromLarger, made.isEmpty, let resize = request.resize else { return nil }
    return derive(resize, from: context.relatives.made(of: request.key.source)[...])
  }

  /// A larger picture that is being made.
  func waitForLarger() -> JobStep? {
    guard mayDeriveFromLarger, made.isEmpty, let resize = request.resize, request.cachePolicy == .useCaches,
      request.readsMemory, configuration.isCoalescingEnabled
    else { return nil }
    let larger = context.relatives.loading(of: request.key.source).first { loading in
      loading.id != relative && loading.request.httpPolicy == request.httpPolicy
        && loading.request.resize.map { Derivation.isWorthWaiting(for: $0, resize) } ?? false
    }
    guard let larger = larger?.request else { return nil }
    let other = JobDependence(key: .load(larger, number: 0)) { [context] in
      JobStart(LoadImage(larger, context))
    }
    return wait(for: other) { load, wake in
      // Why it failed will be said by the way of our own, or it succeeds there.
      guard let larger = wake.input as? LoadImage, case .success = larger.outcome else { return nil }
      return load.derive(resize, from: load.context.relatives.made(of: load.request.key.source)[...])
    }
  }

  // MARK: From a larger picture

  /// - Parameter made: the pictures to try, one after the other.
  private func derive(_ resize: Resize, from made: ArraySlice<Relatives.Made>) -> JobStep? {
    var rest = made
    while let made = rest.popFirst() {
      guard made.key != request.key else { continue }
      if let cached = standing(made.key) {
        let size = cached.picture.size
        guard let derivation = derivation(of: resize, from: made, header: cached.picture.header, size: size)
        else { continue }
        return derive(from: cached, by: .derive(cached.picture, derivation), request.processors[...])
      }
      if let step = derive(resize, fromStored: made, otherwise: rest) { return step }
    }
    return nil
  }

  private func derive(
    _ resize: Resize, fromStored made: Relatives.Made, otherwise rest: ArraySlice<Relatives.Made>
  ) -> JobStep? {
    // Whole pictures are stored as originals, from which a decoder makes the smaller one at a smaller cost.
    guard request.readsRenditions, made.resize != nil,
      made.size.width > resize.size.width || made.size.height > resize.size.height
    else { return nil }
    let start = configuration.instant
    return go(.disk) { load, _ in
      if load.cancellation.isRaised { return load.fail(.cancelled(load.request.source.name)) }
      let caches = load.context.caches
      guard let rendition = caches.rendition(made.key, of: load.request.source, in: made.kind) else {
        load.context.relatives.forget(made.key)
        return load.derive(resize, from: rest)
      }
      guard load.isUsable(rendition.validity),
        let derivation = load.derivation(of: resize, from: made, header: rendition.header, size: made.size)
      else { return load.derive(resize, from: rest) }
      var timings = StageTimings()
      timings.add(.read, start.duration(to: load.configuration.instant))
      return load.render(.decode(rendition.data, nil), from: Origin()) { load, outcome in
        switch outcome {
        case .failure(let error):
          return error.isEndOfInterest ? load.fail(error) : load.derive(resize, from: rest)
        case .success(let larger):
          guard larger.picture.size == made.size else { return load.derive(resize, from: rest) }
          let cached = CachedPicture(
            picture: rendition.picture(larger.picture), stamp: rendition.stamp, validity: rendition.validity)
          return load.derive(
            from: cached, by: .derive(cached.picture, derivation), load.request.processors[...],
            timings: timings.adding(larger.timings))
        }
      }
    }
  }

  private func derivation(
    of resize: Resize, from made: Relatives.Made, header: ImageHeader?, size: PixelSize
  ) -> Derivation? {
    header.flatMap { Derivation(header: $0, larger: made.resize, largerSize: size, resize: resize) }
  }

  /// The picture of a key in memory, if it may be used without asking anybody.
  private func standing(_ key: ImageKey) -> CachedPicture? {
    guard request.readsMemory, let cached = context.caches.standingPicture(key, of: request),
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

  private func derive(
    from cached: CachedPicture, by first: RenderStep, _ processors: ArraySlice<any ImageProcessing>,
    timings: StageTimings = StageTimings()
  ) -> JobStep {
    render(first, processors, from: cached) { load, outcome in
      switch outcome {
      case .failure(let error): return load.fail(error)
      case .success(let rendered):
        let loaded = LoadedPicture(
          picture: rendered.picture, source: .derived, timings: timings.adding(rendered.timings),
          verdict: ImageResponse.Verdict(cached.validity, now: load.configuration.testing.currentDate()),
          renditionMiss: load.made.miss)
        guard load.request.cachePolicy.writesCaches else { return load.finish(loaded) }
        load.keep(rendered.picture, stamp: cached.stamp, validity: cached.validity)
        return load.finish(
          loaded, after: load.store(rendered.picture, stamp: cached.stamp, validity: cached.validity))
      }
    }
  }
}
