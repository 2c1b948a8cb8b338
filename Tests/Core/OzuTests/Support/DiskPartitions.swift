@testable import Ozu

// The partitions of the disk cache. Tests read them directly, by the names that are on the disks of users.

extension ImageCaches {
  static var originals: DiskCache.Partition { "originals" }
  static var renditions: DiskCache.Partition { "renditions" }
  static var partials: DiskCache.Partition { "partials" }
  static var variants: DiskCache.Partition { "relatives" }
}

extension CacheFormat {
  var partition: DiskCache.Partition { DiskCache.Partition("format:" + name) }
}

extension KnownVariants.SizeVariant {
  init(key: ImageKey, resize: Resize?, size: PixelSize, partition: DiskCache.Partition) {
    self.init(key: key, resize: resize, size: size, kind: ImageStoreKind(partition.name))
  }
}
