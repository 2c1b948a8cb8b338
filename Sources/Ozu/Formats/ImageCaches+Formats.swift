import Foundation

extension CacheFormat {
  /// The kind of the format's renditions in the stores.
  var kind: ImageStoreKind { .format(name) }
  /// The step of the format in the recipe of a request.
  var step: String { "format(\(name))" }
}

/// Operations of cache formats on the stores. These functions block; only the pipeline's own threads may call them.
extension ImageCaches {
  /// Applies the capacity of a format to the first level. Further levels have their own limits.
  func applyCapacity(of format: CacheFormat) {
    let capacity = format.diskCapacity
    guard capacity == 0 else {
      stores.first?.store.setCapacity(capacity, of: format.kind)
      tellDiskEvictions()
      return
    }
    // For a store zero means no limit; for a format it means nothing on disk.
    stores.removeAll(of: format.kind, .first)
  }

  /// Removes all renditions of a format, and all encoded files in that format.
  func removeRenditions(of format: CacheFormat) {
    stores.removeAll(of: format.kind)
    // In a label the format is the first step. If the name of a source contains the same text, its files are removed
    // too, and made again.
    let step = " " + format.step
    stores.removeListed(of: .encoded) { key in
      key.label.map { $0.hasSuffix(step) || $0.contains(step + " ") } ?? false
    }
  }

  /// The bytes of a format's renditions in the first level.
  func byteCount(of format: CacheFormat) -> Int {
    stores.first?.store.byteCount(of: format.kind) ?? 0
  }

  /// The renditions of a format in the first level, the most recently used first.
  func renditions(of format: CacheFormat) -> (any Sequence<ImageStoreInfo> & Sendable)? {
    stores.first?.attempt(.list) { [kind = format.kind] in try $0.entries(of: kind) }
  }

  /// Marks a rendition as used now, and writes it again if it was evicted.
  func touchRendition(
    of cached: CachedPicture, for request: ImageRequest, by right: EpochRight, orStore encode: () -> Data?
  ) {
    let key = ImageStoreKey(request.renditionKind, request.key.rendition)
    guard stores.first != nil, !stores.touch(key, request.source.reach),
      request.mayKeepRendition(cached.picture), !request.isOriginal(cached.picture), let data = encode()
    else { return }
    store(
      Rendition(
        data: data, header: cached.picture.header, stamp: cached.stamp, validity: cached.validity,
        notes: cached.picture.notes),
      for: request, by: right)
  }
}
