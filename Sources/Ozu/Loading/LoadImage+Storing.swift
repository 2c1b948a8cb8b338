import Foundation

/// What a load leaves in the caches. What is stored behind the caller's back and has no room there is returned: the load
/// waits for it.
extension LoadImage {
  /// Into memory, where smaller pictures may be made of it.
  func keep(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) {
    guard request.writesMemory || request.writesRenditions else { return }
    context.relatives.noteMaking(of: request.key)
    guard request.writesMemory else { return }
    context.caches.store(picture, stamp: stamp, validity: validity, for: request)
    if let made = relative(picture) { context.relatives.note(made) }
  }

  /// The picture as one of which smaller ones may be made; `nil` where that cannot be.
  private func relative(_ picture: Picture) -> Relatives.Made? {
    guard configuration.caching.isDerivationEnabled, request.region == nil, request.decodedSteps.isEmpty,
      request.convertsColors, picture.animation == nil, picture.header != nil
    else { return nil }
    return Relatives.Made(
      key: request.key, resize: request.resize, size: picture.size, kind: request.renditionKind)
  }

  /// Stores a picture that was made of its source, and the source.
  func store(_ picture: Picture, of fetched: FetchedData) -> [JobDependence] {
    guard request.cachePolicy.writesCaches else { return [] }
    guard fetched.allowsStoring else {
      // What was made before was made from what this answer has outdated.
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
    context.storeOriginal(fetched, for: request)
  }

  /// Whether nothing but the finished picture is kept of what was loaded.
  private func isWithoutOriginal(_ fetched: FetchedData) -> Bool {
    guard case .data = fetched.content else { return true }
    return !storagePolicy.storesOriginals && fetched.isWorthStoring
  }

  /// Has a finished picture encoded and written.
  func store(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) -> [JobDependence] {
    guard !context.caches.stores.isEmpty, request.writesRenditions, storagePolicy.storesRenditions,
      request.mayKeepRendition(picture)
    else { return [] }
    // A whole picture is stored as its original, of which a decoder makes smaller ones.
    let made = request.resize == nil ? nil : relative(picture)
    let wait = context.backlog.add(byteCount: picture.byteCount) { [context, request] () -> Data? in
      let stage = context.events.stageBegan(.encode, of: request.source.name)
      let data = context.configuration.encodedRendition(of: picture, for: request)
      if data != nil { context.events.counters.encodes.increment() }
      context.events.stageEnded(stage, byteCount: data?.count ?? 0)
      return data
    } write: { [context, request] data in
      guard let data else { return }
      context.caches.store(
        ImageCaches.Rendition(
          data: data, header: picture.header, stamp: stamp, validity: validity, notes: picture.notes),
        for: request)
      if let made { context.caches.noteStored(made, source: request.sourceKey) }
    }
    return wait.map { [$0] } ?? []
  }

  /// Writes a rendition again that stands for its source anew.
  func store(_ rendition: ImageCaches.Rendition) -> [JobDependence] {
    guard !context.caches.stores.isEmpty, request.writesRenditions else { return [] }
    let wait = context.backlog.add(byteCount: rendition.data.count) { [context, request] _ in
      context.caches.store(rendition, for: request)
    }
    return wait.map { [$0] } ?? []
  }
}

extension LoadContext {
  /// Has the bytes of a source written, if they are new and the first who asks for it.
  ///
  /// - Returns: what is to be waited for.
  func storeOriginal(_ fetched: FetchedData, for request: ImageRequest) -> [JobDependence] {
    let policy = request.storagePolicy ?? configuration.caching.storagePolicy
    guard !caches.stores.isEmpty, request.writesOriginals, policy.storesOriginals,
      let original = fetched.claimOriginal()
    else { return [] }
    let wait = backlog.add(byteCount: original.byteCount, originalOf: request.key.source) { [self] _ in
      caches.store(original, for: request)
      // Until now others have found the bytes here; from now on they find them in the store.
      withExtendedLifetime(fetched) { liveFetches.forget(.fetch(request, number: 0)) }
    }
    return wait.map { [$0] } ?? []
  }
}

extension FetchedData {
  /// Whether this came from far: neither a local file nor bytes that were given.
  fileprivate var isWorthStoring: Bool { http != nil || source == .network }
}
