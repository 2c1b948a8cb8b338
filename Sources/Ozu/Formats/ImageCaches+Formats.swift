import Foundation

extension CacheFormat {
  /// What the format's renditions are in the levels of storage.
  var kind: ImageStoreKind { .format(name) }
}

/// What formats want of the levels of storage. Blocks: for the pipeline's own threads alone.
extension ImageCaches {
  /// Brings what a format has in the first level under its capacity. Further levels see to their own.
  func applyCapacity(of format: CacheFormat) {
    let capacity = format.diskCapacity
    guard capacity == 0 else {
      stores.first?.store.setCapacity(capacity, of: format.kind)
      tellDiskEvictions()
      return
    }
    // Zero means no limit to a level, and no level at all to a format.
    stores.removeAll(of: format.kind, .first)
  }

  /// Removes all renditions of a format.
  func removeRenditions(of format: CacheFormat) {
    stores.removeAll(of: format.kind)
  }

  /// What the renditions of a format take in the first level, in bytes.
  func byteCount(of format: CacheFormat) -> Int {
    stores.first?.store.byteCount(of: format.kind) ?? 0
  }

  /// The renditions of a format in the first level, those used last first.
  func renditions(of format: CacheFormat) -> (any Sequence<ImageStoreInfo> & Sendable)? {
    stores.first?.attempt(.list) { [kind = format.kind] in try $0.entries(of: kind) }
  }

  /// Marks a rendition as used now, and writes it again if it had gone.
  func touchRendition(of cached: CachedPicture, for request: ImageRequest, orStore encode: () -> Data?) {
    let key = ImageStoreKey(request.renditionKind, request.key.rendition)
    guard stores.first != nil, !stores.touch(key, request.source.reach),
      request.mayKeepRendition(cached.picture), !request.isOriginal(cached.picture), let data = encode()
    else { return }
    store(
      Rendition(data: data, header: cached.picture.header, stamp: cached.stamp, validity: cached.validity),
      for: request)
  }
}
