import Foundation

/// The ways to a picture that start from another picture of the same source.
extension LoadImage {
  /// The picture, made from itself before its last processors or from a larger one: in memory, on disk, or while
  /// that is being made. `nil` where there is none that is good enough, and fresh.
  ///
  /// - Parameter own: this load among those that are noted as running.
  func derive(apartFrom own: Int?) async throws(ImageError) -> LoadedPicture? {
    guard mayDerive else { return nil }
    if let loaded = try await deriveFromPrefix() { return loaded }
    guard let resize = request.resize else { return nil }
    if let loaded = try await deriveFromMade(resize) { return loaded }
    guard try await waitForLarger(resize, apartFrom: own) else { return nil }
    return try await deriveFromMade(resize)
  }

  /// Whether another picture of the source may be started from.
  var mayDerive: Bool {
    configuration.isDerivationEnabled && request.cachePolicy.readsCaches && request.format?.hasHooks != true
  }

  // MARK: From a prefix

  private func deriveFromPrefix() async throws(ImageError) -> LoadedPicture? {
    for count in request.processors.indices.reversed() {
      let key = request.prefixKey(processorCount: count)
      guard let cached = standing(key) else { continue }
      let steps = [.begin(cached.picture)] + request.processors[count...].map(RenderStep.process)
      return try await finish(steps, from: cached, timings: StageTimings())
    }
    return nil
  }

  /// The picture of a key in memory, if it may be used without asking anybody.
  private func standing(_ key: ImageKey) -> CachedPicture? {
    guard request.readsMemory, let cached = parts.caches.standingPicture(key, of: request),
      isUsable(cached.validity)
    else {
      return nil
    }
    parts.events.counters.repeatedHits.increment()
    return cached
  }

  private func isUsable(_ validity: OriginalValidity?) -> Bool {
    request.cachePolicy == .cacheOnly || request.mayServe(validity, at: configuration.currentDate())
  }

  // MARK: From a larger picture

  private func deriveFromMade(_ resize: Resize) async throws(ImageError) -> LoadedPicture? {
    for made in parts.relatives.made(of: request.key.source) where made.key != request.key {
      if let cached = standing(made.key) {
        guard
          let derivation = derivation(
            of: resize, from: made, header: cached.picture.header, size: cached.picture.size)
        else { continue }
        let steps = [.derive(cached.picture, derivation)] + request.processors.map(RenderStep.process)
        return try await finish(steps, from: cached, timings: StageTimings())
      }
      if let loaded = try await deriveFromDisk(resize, made) { return loaded }
    }
    return nil
  }

  private func derivation(
    of resize: Resize, from made: Relatives.Made, header: ImageHeader?, size: PixelSize
  ) -> Derivation? {
    header.flatMap { Derivation(header: $0, larger: made.resize, largerSize: size, resize: resize) }
  }

  private func deriveFromDisk(
    _ resize: Resize, _ made: Relatives.Made
  ) async throws(ImageError) -> LoadedPicture? {
    // Whole pictures are on disk as originals, from which a decoder makes the smaller one at a smaller cost.
    guard request.readsRenditions, made.resize != nil,
      made.size.width > resize.size.width || made.size.height > resize.size.height
    else { return nil }
    let start = configuration.now()
    activity.enter(.disk)
    let rendition = await parts.diskQueue.run(priority: job.priority, activity: activity) {
      [parts, source = request.source] flag in
      flag.isRaised ? nil : parts.caches.rendition(made.key, of: source, in: made.partition)
    }
    guard let rendition else {
      parts.relatives.forget(made.key)
      return nil
    }
    guard isUsable(rendition.validity),
      let derivation = derivation(of: resize, from: made, header: rendition.header, size: made.size)
    else { return nil }
    var timings = StageTimings()
    timings.add(.read, start.duration(to: configuration.now()))
    let larger: Rendered
    do {
      larger = try await render([.decode(rendition.data, nil)], from: Origin())
    } catch {
      if error.isEndOfInterest { throw error }
      return nil
    }
    guard larger.picture.size == made.size else { return nil }
    timings.add(larger.timings)
    let cached = CachedPicture(
      picture: Picture(larger.picture.bitmap, header: rendition.header), stamp: rendition.stamp,
      validity: rendition.validity)
    let steps = [.derive(cached.picture, derivation)] + request.processors.map(RenderStep.process)
    return try await finish(steps, from: cached, timings: timings)
  }

  /// Waits for a larger picture that is being made.
  ///
  /// - Returns: whether there was one.
  private func waitForLarger(_ resize: Resize, apartFrom own: Int?) async throws(ImageError) -> Bool {
    guard request.cachePolicy == .useCaches, request.readsMemory, configuration.isCoalescingEnabled else {
      return false
    }
    let larger = parts.relatives.loading(of: request.key.source).first { loading in
      loading.id != own && loading.request.httpPolicy == request.httpPolicy
        && loading.request.resize.map { Derivation.isWorthWaiting(for: $0, resize) } ?? false
    }
    guard let larger = larger?.request else { return false }
    activity.enter(.larger)
    do {
      _ = try await parts.loads.value(
        for: .load(larger, number: 0), priority: job.priority,
        cancellation: .cancelled(request.source.name), onProgress: { [job] in job.report($0) },
        operation: { [parts] job in await LoadImage(parts: parts, request: larger, job: job).run() })
      return true
    } catch {
      if error.isCancellation { throw error }
      // Why it failed will be said by the way of our own, or it succeeds there.
      return false
    }
  }

  private func finish(
    _ steps: [RenderStep], from cached: CachedPicture, timings: StageTimings
  ) async throws(ImageError) -> LoadedPicture {
    let rendered = try await render(steps, from: cached)
    var timings = timings
    timings.add(rendered.timings)
    if request.cachePolicy.writesCaches {
      keep(rendered.picture, stamp: cached.stamp, validity: cached.validity)
      await storeRendition(rendered.picture, stamp: cached.stamp, validity: cached.validity)
    }
    return LoadedPicture(
      picture: rendered.picture, source: .derived, encodedByteCount: 0, timings: timings,
      verdict: ImageResponse.Verdict(cached.validity, now: configuration.currentDate()))
  }
}
