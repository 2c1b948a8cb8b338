import Foundation

/// What a load leaves in the caches.
extension LoadImage {
  /// Into memory, where smaller pictures may be made of it.
  func keep(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?) {
    parts.caches.store(picture, stamp: stamp, validity: validity, for: request)
    guard configuration.isDerivationEnabled, request.processors.isEmpty, picture.animation == nil,
      picture.header != nil
    else { return }
    parts.relatives.note(Relatives.Made(key: request.key, resize: request.resize, size: picture.size))
  }

  func storeOriginal(_ fetched: FetchedData) async {
    guard storagePolicy.storesOriginals, let original = fetched.claimOriginal() else { return }
    activity.enter(.backlog)
    await parts.backlog.add(byteCount: original.byteCount) { [parts, request] in
      parts.caches.store(original, for: request)
      // Until now others have found the bytes here.
      withExtendedLifetime(fetched) {}
    }
  }

  func storeOnDisk(_ picture: Picture, _ fetched: FetchedData) async {
    await storeOriginal(fetched)
    // A rendition that is the original, pixel for pixel, would only take its place twice. Pixels of a fetcher
    // have no original.
    let isOriginal = request.processors.isEmpty && picture.header?.size == picture.size
    guard mayHaveRendition,
      !isOriginal || storagePolicy == .all && request.hasRecipe || isWithoutOriginal(fetched)
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
    // A rendition is one picture: it would stop an animation, which is made from its original each time.
    guard storagePolicy.storesRenditions, picture.animation == nil else { return }
    activity.enter(.backlog)
    await parts.backlog.add(byteCount: picture.byteCount) { [configuration, request] () -> Data? in
      guard let encoding = configuration.encoding(of: picture, for: request) else { return nil }
      // Nothing is lost when it fails: the next request renders again.
      return try? configuration.codecs.encode(
        picture.bitmap, as: encoding.type, options: encoding.options)
    } write: { [parts, request] data in
      parts.caches.store(
        ImageCaches.Rendition(data: data, header: picture.header, stamp: stamp, validity: validity),
        for: request)
    }
  }
}

extension FetchedData {
  /// Whether this came from far: neither a local file nor bytes that were given.
  fileprivate var isWorthStoring: Bool { http != nil || source == .network }
}
