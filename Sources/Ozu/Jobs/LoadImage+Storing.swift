import Foundation

/// What a load leaves in the caches.
extension LoadImage {
  /// Into memory, where smaller pictures may be made of it.
  func keep(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) {
    guard request.writesMemory else { return }
    parts.caches.store(picture, stamp: stamp, validity: validity, for: request)
    if let made = relative(picture) { parts.relatives.note(made) }
  }

  /// The picture as one of which smaller ones may be made; `nil` where that cannot be.
  private func relative(_ picture: Picture) -> Relatives.Made? {
    guard configuration.isDerivationEnabled, request.decodedSteps.isEmpty, picture.animation == nil,
      picture.header != nil
    else { return nil }
    return Relatives.Made(
      key: request.key, resize: request.resize, size: picture.size, partition: request.partition)
  }

  func storeOriginal(_ fetched: FetchedData) async {
    guard request.writesOriginals, storagePolicy.storesOriginals, let original = fetched.claimOriginal()
    else {
      return
    }
    activity.enter(.backlog)
    await parts.backlog.add(byteCount: original.byteCount) { [parts, request] in
      parts.caches.store(original, for: request)
      // Until now others have found the bytes here; from now on they find them on the disk.
      withExtendedLifetime(fetched) { parts.liveFetches.forget(.fetch(request, number: 0)) }
    }
  }

  func storeOnDisk(_ picture: Picture, _ fetched: FetchedData) async {
    await storeOriginal(fetched)
    // Pixels of a fetcher have no original.
    guard mayHaveRendition,
      !request.isOriginal(picture) || storagePolicy == .all && request.hasRecipe || isWithoutOriginal(fetched)
    else {
      return
    }
    await storeRendition(picture, stamp: fetched.stamp, validity: fetched.validity)
  }

  /// Whether nothing but the finished picture is kept of what was loaded.
  private func isWithoutOriginal(_ fetched: FetchedData) -> Bool {
    guard case .data = fetched.content else { return true }
    return !storagePolicy.storesOriginals && fetched.isWorthStoring
  }

  /// Has a finished picture encoded and written, behind the caller's back.
  func storeRendition(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) async {
    guard request.writesRenditions, storagePolicy.storesRenditions, request.mayKeepRendition(picture) else {
      return
    }
    activity.enter(.backlog)
    // A whole picture is on disk as its original, of which a decoder makes smaller ones.
    let made = request.resize == nil ? nil : relative(picture)
    await parts.backlog.add(byteCount: picture.byteCount) { [parts, request] () -> Data? in
      let stage = parts.events.stageBegan(.encode, of: request.source.name)
      let data = parts.configuration.encodedRendition(of: picture, for: request)
      parts.events.stageEnded(stage, byteCount: data?.count ?? 0)
      return data
    } write: { [parts, request] data in
      parts.caches.store(
        ImageCaches.Rendition(data: data, header: picture.header, stamp: stamp, validity: validity),
        for: request)
      if let made { parts.caches.noteStored(made, source: request.sourceKey) }
    }
  }
}

extension FetchedData {
  /// Whether this came from far: neither a local file nor bytes that were given.
  fileprivate var isWorthStoring: Bool { http != nil || source == .network }
}
