import OzuBase

/// Deriving the picture from another picture of the same source, if that one is good enough and fresh.
extension LoadImage {
  /// Whether the picture may be derived from another picture of the source.
  var mayDerive: Bool {
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
  func processPrefix() -> JobStep? {
    for count in request.processors.indices.reversed() {
      let key = request.prefixKey(processorCount: count)
      guard let cached = pictureInMemory(key) else { continue }
      return derive(from: cached, by: .begin(cached.picture), request.processors[count...])
    }
    return nil
  }

  // MARK: From a larger picture

  var finishedVariants: ArraySlice<KnownVariants.SizeVariant> {
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
        verdict: ImageResponse.Verdict(cached.validity, now: configuration.testing.currentDate()),
        renditionMiss: cachedResult.miss)
      guard request.cachePolicy.writesCaches else { return finish(loaded) }
      keep(rendered.picture, stamp: cached.stamp, validity: cached.validity)
      return finish(
        loaded, after: store(rendered.picture, stamp: cached.stamp, validity: cached.validity))
    }
  }
}
