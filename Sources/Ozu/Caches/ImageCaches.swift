import Foundation
import OzuSynchronization

/// The places of finished pictures and originals, in the words of pictures.
///
/// The memory side is synchronous and quick. The other side, the levels of storage below memory, blocks: it is called on
/// the threads of stations only. What is found there is described by records (`RenditionRecord`, `OriginalRecord`); the
/// levels only see bytes.
final class ImageCaches: Sendable {
  let memory: MemoryLevel
  let stores: StoreChain
  let events: PipelineEvents
  /// Encoded images, in a small cache of their own: their bytes and those of pixels are worth differently.
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
