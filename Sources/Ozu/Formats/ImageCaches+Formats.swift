import Foundation

extension CacheFormat {
  /// What the format's renditions are in the levels of storage.
  var kind: ImageStoreKind { .format(name) }
  /// What the format is among the steps of a request.
  var step: String { "format(\(name))" }
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

  /// Removes all renditions of a format, and all files that were made in it.
  func removeRenditions(of format: CacheFormat) {
    stores.removeAll(of: format.kind)
    // In a label the format is the first step. A source may be called so too: then its files are made again.
    let step = " " + format.step
    stores.removeListed(of: .encoded) { key in
      key.label.map { $0.hasSuffix(step) || $0.contains(step + " ") } ?? false
    }
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
      Rendition(
        data: data, header: cached.picture.header, stamp: cached.stamp, validity: cached.validity,
        notes: cached.picture.notes),
      for: request)
  }
}
