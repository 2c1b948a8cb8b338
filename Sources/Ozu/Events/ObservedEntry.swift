/// The layers in which a pipeline keeps what it has made and loaded.
public enum ImageCacheLayer: String, Hashable, Sendable, Codable, CaseIterable {
  /// Decoded pictures in memory.
  case memory
  /// Finished pictures on disk, encoded.
  case rendition
  /// Encoded images on disk (`ImagePipeline.encoded(for:as:)`).
  case encoded
  /// Files on disk as they came.
  case original
}

/// The two stores behind the layers: room is made in each for itself.
public enum ObservedStore: String, Hashable, Sendable, Codable, CaseIterable {
  /// The memory cache.
  case memory
  /// The disk cache, which holds renditions and originals.
  case disk
}

/// Entries that a cache has given up to make room.
public struct ObservedEviction: Hashable, Sendable {
  /// Which cache.
  public let store: ObservedStore
  /// The name of the cache format whose pictures they were; `nil` for pictures without one, and for originals.
  public let format: String?
  /// How many entries.
  public let count: Int
}

/// An entry of a cache, as observers are told of it.
public struct ObservedEntry: Sendable {
  /// Where it is, or was looked for.
  public let layer: ImageCacheLayer
  /// The name of its source, without credentials.
  public let source: String
  /// On whose behalf; `nil` for originals, which belong to all requests of their source.
  public let request: ImageRequest?
  /// What it takes in the layer: pixels in memory, encoded bytes on disk. 0 for a miss.
  public let byteCount: Int
}
