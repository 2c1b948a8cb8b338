import Foundation

/// The writes to the caches. Writes to stores happen in the background; if the backlog has no room, the functions
/// return the write, and the load waits for it.
extension LoadImage {
  /// Puts the picture into memory, where smaller pictures can be derived from it.
  func keep(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) {
    guard request.writesMemory || request.writesRenditions, right.isValid else { return }
    context.variants.noteMaking(of: request.key)
    guard request.writesMemory else { return }
    let isStored = right.store {
      context.caches.store(picture, stamp: stamp, validity: validity, for: request)
    } takeBack: {
      context.caches.memory.removeValue(forKey: request.key)
    }
    if isStored, let variant = variant(picture) { context.variants.note(variant) }
  }

  /// The right to store the results of the load.
  var right: EpochRight { context.epochs.right(to: request, in: epoch) }

  /// The entry for `KnownVariants`, so that smaller pictures can be derived from this one; `nil` if they cannot.
  private func variant(_ picture: Picture) -> KnownVariants.Variant? {
    guard configuration.caching.isDerivationEnabled, request.recipe.servesOthers, picture.animation == nil,
      picture.header != nil
    else { return nil }
    return KnownVariants.Variant(
      key: request.key, resize: request.resize, size: picture.size, kind: request.renditionKind)
  }

  /// Stores a picture that was made from its source, and the source itself.
  func store(_ picture: Picture, of fetched: FetchedData) -> [JobDependence] {
    guard request.cachePolicy.writesCaches, right.isValid else { return storeOriginal(fetched) }
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
    guard !context.caches.stores.isEmpty, request.writesRenditions, storagePolicy.storesRenditions,
      request.mayKeepRendition(picture)
    else { return [] }
    // A picture without a resize is stored as its original, so it is not listed as a variant.
    let variant = request.resize == nil ? nil : variant(picture)
    let wait = context.backlog.add(byteCount: picture.byteCount) { [context, request, right] () -> Data? in
      guard right.isValid else { return nil }
      let stage = context.events.stageBegan(.encode, of: request.source.name)
      let data = context.configuration.encodedRendition(of: picture, for: request)
      if data != nil { context.events.counters.encodes.increment() }
      context.events.stageEnded(stage, byteCount: data?.count ?? 0)
      return data
    } write: { [context, request, right] data in
      guard let data else { return }
      context.caches.store(
        ImageCaches.Rendition(
          data: data, header: picture.header, stamp: stamp, validity: validity, notes: picture.notes),
        for: request, by: right)
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
  /// Writes the bytes of a source in the background, if they are new. Only the first call for the same bytes does
  /// anything.
  ///
  /// - Returns: the write, if the backlog has no room; the load waits for it.
  func storeOriginal(
    _ fetched: FetchedData, for request: ImageRequest, _ epoch: LoadEpoch
  ) -> [JobDependence] {
    let policy = request.storagePolicy ?? configuration.caching.storagePolicy
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
