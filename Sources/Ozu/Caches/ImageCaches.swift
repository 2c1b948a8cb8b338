import Foundation
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
  // `memory` again, for hits: to count references to the cache itself, which is watched weakly, costs more than all
  // the rest of a hit. It lives as long as this does, which owns it.
  private let uncountedMemory: Unmanaged<MemoryCache<ImageKey, CachedPicture>>
  private let opening: DiskOpening
  private let onDiskError: @Sendable (DiskCacheError) -> Void
  let events: PipelineEvents

  init(
    memory: MemoryCache<ImageKey, CachedPicture>, storage: DiskStorage,
    onDiskError: @escaping @Sendable (DiskCacheError) -> Void, events: PipelineEvents
  ) {
    self.events = events
    self.memory = memory
    uncountedMemory = .passUnretained(memory)
    self.onDiskError = onDiskError
    opening = DiskOpening(storage, onError: onDiskError) { cache in
      cache.setCapacity(Self.partialsCapacity, of: Self.partials)
      cache.setCapacity(Self.relativesCapacity, of: Self.relatives)
    }
  }

  // MARK: Memory

  /// The picture of a plain request (`ImageRequest.isPlain`), if memory has it, fresh or not, finished or not.
  func plainPicture(for request: ImageRequest) -> Picture? {
    uncountedMemory._withUnsafeGuaranteedRef { memory in
      memory.withValue(forKey: request.key) { $0.picture }
    }
  }

  /// The picture of a request, if memory has it, fresh or not. A picture of a local file counts only while the file
  /// is as it was: that costs one system call, for requests of local files alone.
  func cachedPicture(for request: ImageRequest) -> CachedPicture? {
    guard let cached = uncountedMemory._withUnsafeGuaranteedRef({ $0.value(forKey: request.key) }) else {
      return nil
    }
    guard let stamp = cached.stamp, let path = request.source.filePath else { return cached }
    if FileStamp(path: path) == stamp { return cached }
    memory.removeValue(forKey: request.key)
    return nil
  }

  /// The same, unless it is a preview of a picture that is still loading.
  func finishedPicture(for request: ImageRequest) -> CachedPicture? {
    guard let cached = cachedPicture(for: request), !cached.picture.isPreview else { return nil }
    return cached
  }

  /// A whole picture in memory that was made of the source of a request as it is now, at another size or with other
  /// steps. Not counted as a miss: nobody has asked for it.
  func standingPicture(_ key: ImageKey, of request: ImageRequest) -> CachedPicture? {
    guard memory.contains(key), let cached = memory.value(forKey: key), !cached.picture.isPreview else {
      return nil
    }
    guard let path = request.source.filePath else { return cached }
    return FileStamp(path: path) == cached.stamp ? cached : nil
  }

  func store(_ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, for request: ImageRequest) {
    if insert(picture, stamp: stamp, validity: validity, for: request) { tellStored(picture, for: request) }
  }

  /// Puts a picture into memory and tells nobody: for a caller that holds a lock. `tellStored` is to follow.
  ///
  /// - Returns: whether it was put there.
  func insert(
    _ picture: Picture, stamp: FileStamp?, validity: OriginalValidity?, for request: ImageRequest
  ) -> Bool {
    if request.format?.isRetired == true { return false }
    memory.insert(
      CachedPicture(
        picture: picture, stamp: stamp, validity: validity, formatName: request.format?.name),
      forKey: request.key, cost: picture.byteCount)
    return true
  }

  /// Tells observers of a picture that was put into memory, and of what made room for it. Calls code of the app.
  func tellStored(_ picture: Picture, for request: ImageRequest) {
    events.stored(.memory, byteCount: picture.byteCount, of: request.source.name, for: request)
    events.evicted(events.evictions.takeFromMemory())
  }

  // MARK: Disk

  /// The disk cache, opened now if it was not; `nil` without one. Blocks while it is opened.
  var disk: DiskCache? { opening.cache }

  /// The disk cache, if it is open. Never waits.
  var openedDisk: DiskCache? {
    if case .open(let cache) = opening.atHand { cache } else { nil }
  }

  /// The disk cache as far as it is known without waiting for it to be opened.
  var diskAtHand: DiskOpening.AtHand { opening.atHand }

  /// Empties the disk cache. A cache that this process may not write to stays as it is, which is reported.
  func emptyDisk() {
    do throws(DiskCacheError) {
      try disk?.removeAll()
    } catch {
      onDiskError(error)
    }
  }

  /// A finished picture, still encoded.
  struct Rendition: Sendable {
    let data: Data
    let header: ImageHeader?
    let stamp: FileStamp?
    let validity: OriginalValidity?
  }

  /// The finished picture of a request. One that was made from another state of a local file is removed.
  func rendition(for request: ImageRequest) -> Rendition? {
    observeRead(.rendition, for: request) {
      rendition(request.key, of: request.source, in: request.partition)
    } byteCount: {
      $0.data.count
    }
  }

  /// The finished picture of a key that belongs to a source.
  func rendition(
    _ key: ImageKey, of source: ImageSource, in partition: DiskCache.Partition
  ) -> Rendition? {
    guard let disk, let entry = disk.fetch(key.rendition, in: partition) else { return nil }
    let record = RenditionRecord(entry.metadata)
    let isOfSource = source.filePath.map { FileStamp(path: $0) == record?.stamp } ?? true
    guard let record, isOfSource else {
      disk.remove(forKey: key.rendition, in: partition)
      return nil
    }
    return Rendition(
      data: entry.body, header: record.header, stamp: record.stamp, validity: record.validity)
  }

  func store(_ rendition: Rendition, for request: ImageRequest) {
    let record = RenditionRecord(
      header: rendition.header, stamp: rendition.stamp, validity: rendition.validity)
    guard let disk, request.format?.isRetired != true else { return }
    observeStore(.rendition, byteCount: rendition.data.count, for: request) {
      disk.store(
        rendition.data, metadata: record.data, forKey: request.key.rendition, in: request.partition,
        label: request.label)
    }
  }

  func removeRendition(for request: ImageRequest) {
    disk?.remove(forKey: request.key.rendition, in: request.partition)
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
