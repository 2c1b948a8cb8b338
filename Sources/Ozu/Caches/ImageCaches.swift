import Foundation
import OzuSynchronization

/// The caches of a pipeline, in terms of requests and pictures.
///
/// The memory level is synchronous and quick. The stores below it block, so only threads of stations call them.
/// Entries there are described by records (`RenditionRecord`, `OriginalRecord`); the stores see only bytes.
final class ImageCaches: Sendable {
  let memory: MemoryLevel
  let stores: StoreChain
  let events: PipelineEvents
  /// Encoded images, in a small cache of their own, because a byte of a file and a byte of pixels do not have the
  /// same value.
  let encodedMemory: MemoryCache<CacheKey, EncodedEntry>

  init(
    memory: MemoryLevel, encodedMemory: MemoryCache<CacheKey, EncodedEntry>, stores: StoreChain,
    events: PipelineEvents
  ) {
    self.encodedMemory = encodedMemory
    self.events = events
    self.memory = memory
    self.stores = stores
  }
}

extension ImageSource {
  /// Whether it is a local file.
  var isLocalFile: Bool {
    if case .url(let url) = self { url.isFileURL } else { false }
  }

  /// The path of a local file; `nil` for other sources.
  var filePath: String? {
    guard case .url(let url) = self, url.isFileURL else { return nil }
    return url.path(percentEncoded: false)
  }
}
