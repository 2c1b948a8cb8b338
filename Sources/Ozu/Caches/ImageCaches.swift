import Foundation
import OzuHTTP
import OzuSynchronization

/// The places of finished pictures and originals, in the words of pictures.
///
/// The memory side is synchronous and quick. The disk side does I/O: it is called on a `WorkQueue` only. The
/// disk cache is opened at the first call that needs it, so that making a pipeline costs nothing; when it
/// cannot be opened, the pipeline works without and says so once.
final class ImageCaches: Sendable {
  static let originals = DiskCache.Partition("originals")
  static let renditions = DiskCache.Partition("renditions")

  let memory: MemoryCache<ImageKey, CachedPicture>
  private let storage: DiskStorage
  private let onDiskError: @Sendable (DiskCacheError) -> Void
  private let opened = Mutex<Opening>(.pending)

  private enum Opening {
    case pending
    case done(DiskCache?)
  }

  init(
    memory: MemoryCache<ImageKey, CachedPicture>, storage: DiskStorage,
    onDiskError: @escaping @Sendable (DiskCacheError) -> Void
  ) {
    self.memory = memory
    self.storage = storage
    self.onDiskError = onDiskError
  }

  // MARK: Memory

  /// The picture of a request, if memory has it. A picture of a local file counts only while the file is as it
  /// was: that costs one system call, for requests of local files alone.
  func picture(for request: ImageRequest) -> Picture? {
    guard let cached = memory.value(forKey: request.key) else { return nil }
    guard let stamp = cached.stamp, let path = request.source.filePath else { return cached.picture }
    if FileStamp(path: path) == stamp { return cached.picture }
    memory.removeValue(forKey: request.key)
    return nil
  }

  func store(_ picture: Picture, stamp: FileStamp?, for request: ImageRequest) {
    memory.insert(
      CachedPicture(picture: picture, stamp: stamp), forKey: request.key, cost: picture.byteCount)
  }

  // MARK: Disk

  /// The disk cache, opened now if it was not; `nil` without one.
  var disk: DiskCache? {
    opened.withLock { opening in
      if case .done(let cache) = opening { return cache }
      let cache = open()
      opening = .done(cache)
      return cache
    }
  }

  private func open() -> DiskCache? {
    do throws(DiskCacheError) {
      switch storage {
      case .none: return nil
      case .opening(let open): return try open()
      case .folder(let folder, let capacity):
        return try DiskCache(
          directory: folder.path(percentEncoded: false),
          configuration: DiskCacheConfiguration(capacity: capacity, onError: onDiskError))
      }
    } catch {
      onDiskError(error)
      return nil
    }
  }

  /// A finished picture, still encoded.
  struct Rendition: Sendable {
    let data: Data
    let header: ImageHeader?
    let stamp: FileStamp?
  }

  /// The finished picture of a request. One that was made from another state of a local file is removed.
  func rendition(for request: ImageRequest) -> Rendition? {
    guard let disk, let entry = disk.fetch(request.key.rendition, in: Self.renditions) else { return nil }
    guard let record = RenditionRecord(entry.metadata) else {
      removeRendition(for: request)
      return nil
    }
    if let path = request.source.filePath, FileStamp(path: path) != record.stamp {
      removeRendition(for: request)
      return nil
    }
    return Rendition(data: entry.body, header: record.header, stamp: record.stamp)
  }

  func storeRendition(_ data: Data, header: ImageHeader?, stamp: FileStamp?, for request: ImageRequest) {
    guard let disk, let record = try? RenditionRecord(header: header, stamp: stamp).data else { return }
    disk.store(
      data, metadata: record, forKey: request.key.rendition, in: Self.renditions,
      label: request.source.key + (request.resize.map { " \($0.identifier)" } ?? ""))
  }

  func removeRendition(for request: ImageRequest) {
    disk?.remove(forKey: request.key.rendition, in: Self.renditions)
  }

  /// The bytes of a source as they were loaded.
  func original(for request: ImageRequest) -> Data? {
    disk?.fetch(request.key.source, in: Self.originals)?.body
  }

  func storeOriginal(_ data: Data, head: HTTPResponseHead?, for request: ImageRequest) {
    guard let disk, let record = try? OriginalRecord(head).data else { return }
    disk.store(
      data, metadata: record, forKey: request.key.source, in: Self.originals, label: request.source.key)
  }

  func removeOriginal(for request: ImageRequest) {
    disk?.remove(forKey: request.key.source, in: Self.originals)
  }
}

extension ImageSource {
  /// The path of a local file; `nil` for other sources.
  var filePath: String? {
    guard case .url(let url) = self, url.isFileURL else { return nil }
    return url.path(percentEncoded: false)
  }
}
