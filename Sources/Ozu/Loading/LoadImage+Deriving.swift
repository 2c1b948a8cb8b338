import Foundation

/// The stages that derive the picture from another picture of the same source, if that one is good enough and fresh.
extension LoadImage {
  /// Whether the picture may be derived from another picture of the source.
  var mayDerive: Bool {
    configuration.caching.isDerivationEnabled && request.cachePolicy.readsCaches
      && !request.recipe.hasHooks
  }

  // MARK: Stages

  /// Starts from the same picture before its last processors, if memory has it.
  func processPrefix() -> JobStep? {
    guard mayDerive, cachedResult.isEmpty else { return nil }
    for count in request.processors.indices.reversed() {
      let key = request.prefixKey(processorCount: count)
      guard let cached = pictureInMemory(key) else { continue }
      return derive(from: cached, by: .begin(cached.picture), request.processors[count...])
    }
    return nil
  }

  /// Starts from a larger picture in memory or in a store.
  func deriveFromLarger() -> JobStep? {
    guard mayDerive, cachedResult.isEmpty, let resize = request.resize else { return nil }
    return derive(resize, from: context.variants.finished(of: request.key.source)[...])
  }

  /// Waits for a larger picture that is being loaded.
  func waitForLarger() -> JobStep? {
    guard mayDerive, cachedResult.isEmpty, let resize = request.resize,
      request.cachePolicy == .useCaches,
      request.readsMemory, configuration.isCoalescingEnabled
    else { return nil }
    let larger = context.variants.loading(of: request.key.source).first { loading in
      loading.id != variantID && loading.epoch.source == epoch.source
        && loading.request.httpPolicy == request.httpPolicy
        && request.recipe.isWorthWaiting(for: loading.request.recipe)
    }
    guard let larger else { return nil }
    let key = JobKey.load(larger.request, number: context.resultSharingNumber(larger.epoch, larger.request))
    let other = JobDependence(key: key) { [context] in
      JobStart(LoadImage(larger.request, context, larger.epoch))
    }
    return wait(for: other) { load, wake in
      // If it failed, this load continues by itself and reports its own error.
      guard let larger = wake.input as? LoadImage, case .success = larger.outcome else { return nil }
      return load.derive(resize, from: load.context.variants.finished(of: load.request.key.source)[...])
    }
  }

  // MARK: From a larger picture

  /// - Parameter variants: the pictures to try, one after the other.
  private func derive(_ resize: Resize, from variants: ArraySlice<KnownVariants.Variant>) -> JobStep? {
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
      if let step = derive(resize, fromStored: variant, otherwise: rest) { return step }
    }
    return nil
  }

  private func derive(
    _ resize: Resize, fromStored variant: KnownVariants.Variant,
    otherwise rest: ArraySlice<KnownVariants.Variant>
  ) -> JobStep? {
    // A picture without a resize is stored as its original; to decode that at a reduced scale is cheaper.
    guard request.readsRenditions, variant.resize != nil,
      variant.size.width > resize.size.width || variant.size.height > resize.size.height
    else { return nil }
    let start = configuration.instant
    return go(.disk) { load, _ in
      if load.cancellation.isRaised { return load.fail(.cancelled(load.request.source.name)) }
      let caches = load.context.caches
      guard let rendition = caches.rendition(variant.key, of: load.request.source, in: variant.kind) else {
        load.context.variants.forget(variant.key)
        return load.derive(resize, from: rest)
      }
      let derivation: Derivation?
      do throws(ImageError) {
        derivation =
          load.isUsable(rendition.validity)
          ? try load.derivation(from: variant, header: rendition.header, size: variant.size) : nil
      } catch {
        return load.fail(error)
      }
      guard let derivation else { return load.derive(resize, from: rest) }
      var timings = StageTimings()
      timings.add(.read, start.duration(to: load.configuration.instant))
      return load.render(.decode(rendition.data, nil), from: Origin()) { load, outcome in
        switch outcome {
        case .failure(let error):
          return error.isCancelledOrLate ? load.fail(error) : load.derive(resize, from: rest)
        case .success(let larger):
          guard larger.picture.size == variant.size else { return load.derive(resize, from: rest) }
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
    from variant: KnownVariants.Variant, header: ImageHeader?, size: PixelSize
  ) throws(ImageError) -> Derivation? {
    guard let header else { return nil }
    do throws(DecodingError) {
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
          renditionMiss: load.cachedResult.miss)
        guard load.request.cachePolicy.writesCaches else { return load.finish(loaded) }
        load.keep(rendered.picture, stamp: cached.stamp, validity: cached.validity)
        return load.finish(
          loaded, after: load.store(rendered.picture, stamp: cached.stamp, validity: cached.validity))
      }
    }
  }
}
