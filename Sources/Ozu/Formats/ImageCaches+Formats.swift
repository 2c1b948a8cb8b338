import Foundation

extension CacheFormat {
  /// Where the format's renditions are on disk.
  var partition: DiskCache.Partition { DiskCache.Partition(Self.partitionPrefix + name) }

  static let partitionPrefix = "format:"
}

extension DiskCache.Partition {
  /// The name of the format whose renditions it holds; `nil` for all others.
  var formatName: String? {
    name.hasPrefix(CacheFormat.partitionPrefix)
      ? String(name.dropFirst(CacheFormat.partitionPrefix.count)) : nil
  }
}

extension ImageRequest {
  /// Where the finished picture is on disk.
  var partition: DiskCache.Partition { format?.partition ?? ImageCaches.renditions }
}

/// What formats want of the disk. Blocks: for work queues alone.
extension ImageCaches {
  /// Brings what a format has on disk under its capacity.
  func applyCapacity(of format: CacheFormat) {
    guard let disk else { return }
    let capacity = format.diskCapacity
    guard capacity == 0 else {
      disk.setCapacity(capacity, of: format.partition)
      tellDiskEvictions()
      return
    }
    // Zero means no limit to the disk cache, and no disk at all to a format.
    try? disk.removeAll(in: format.partition)
  }

  /// Marks a rendition as used now, and writes it again if it had gone.
  func touchRendition(of cached: CachedPicture, for request: ImageRequest, orStore encode: () -> Data?) {
    guard let disk, !disk.touch(request.key.rendition, in: request.partition),
      request.mayKeepRendition(cached.picture), !request.isOriginal(cached.picture), let data = encode()
    else { return }
    store(
      Rendition(data: data, header: cached.picture.header, stamp: cached.stamp, validity: cached.validity),
      for: request)
  }
}
