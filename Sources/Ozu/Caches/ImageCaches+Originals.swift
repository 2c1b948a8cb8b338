import Foundation
import OzuHTTP

/// Originals on disk. Those from the web are responses with their variants (`ResponseShelf`); those of fetchers are
/// bytes under the key of the source.
extension ImageCaches {
  static let partials = ResponseShelf.partials
  /// What beginnings of broken transfers may take on disk.
  static let partialsCapacity = 64 << 20

  /// The responses on disk; `nil` without a disk cache.
  var shelf: ResponseShelf? { disk.map(ResponseShelf.init) }

  /// The bytes of a source that is not on the web, as they were loaded.
  func original(for request: ImageRequest) -> Data? {
    observeRead(.original, for: request) {
      disk?.fetch(request.key.source, in: Self.originals)?.body
    } byteCount: {
      $0.count
    }
  }

  func store(_ original: FetchedData.Original, for request: ImageRequest) {
    observeStore(.original, byteCount: original.byteCount, for: request) {
      switch original {
      case .response(let entry):
        shelf?.store(entry, replacing: nil, for: request.key.source, source: request.sourceKey)
      case .data(let data):
        disk?.store(
          data, metadata: OriginalRecord().data, forKey: request.key.source, in: Self.originals,
          label: DiskLabel.text(ofSource: request.sourceKey))
      }
    }
  }

  func removeOriginal(for request: ImageRequest) {
    shelf?.removeEntries(for: request.key.source)
  }
}
