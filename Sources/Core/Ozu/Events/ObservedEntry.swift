/// The layers of a pipeline's caches.
public enum ImageCacheLayer: String, Hashable, Sendable, Codable, CaseIterable {
  /// Decoded pictures in memory.
  case memory
  /// Renditions: finished pictures on disk, in encoded form.
  case rendition
  /// Encoded images on disk (`ImagePipeline.encoded(for:as:)`).
  case encoded
  /// Originals: files on disk, as their sources sent them.
  case original
}

/// The two caches behind the layers. Each evicts its own entries.
public enum ObservedStore: String, Hashable, Sendable, Codable, CaseIterable {
  /// The memory cache.
  case memory
  /// The disk cache, which holds renditions and originals.
  case disk
}

/// Entries that a cache has evicted.
public struct ObservedEviction: Hashable, Sendable {
  /// The cache.
  public let store: ObservedStore
  /// The name of the cache format of the entries; `nil` for pictures without a format, and for originals.
  public let format: String?
  /// The number of entries.
  public let count: Int
}

/// An entry of a cache, as reported to observers.
public struct ObservedEntry: Sendable {
  /// The layer in which it is, or in which it was looked up.
  public let layer: ImageCacheLayer
  /// The name of its source, without credentials.
  public let source: String
  /// The request that caused the event; `nil` for originals, which belong to all requests of their source.
  public let request: ImageRequest?
  /// Its size in the layer in bytes: pixels in memory, encoded bytes on disk. 0 for a miss.
  public let byteCount: Int
}
