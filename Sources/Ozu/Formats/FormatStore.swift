import Foundation
import OzuSynchronization

/// The formats of one pipeline, and what is done with their renditions besides loading them.
///
/// One lock guards the table. What touches the disk goes through the pipeline's backlog of writes, in order: a
/// format that is replaced is cleared before what its successor makes is stored.
final class FormatStore: Sendable {
  private struct State {
    var formats: [String: CacheFormat] = [:]
    var preloads: [String: FormatPreload] = [:]
    /// Memory hits whose renditions on disk have yet to hear of them.
    var hits: [ImageKey: Hit] = [:]
  }

  struct Hit: Sendable {
    let cached: CachedPicture
    let request: ImageRequest
  }

  private let state = Mutex(State())
  let caches: ImageCaches
  let backlog: StoreBacklog
  let configuration: ImagePipeline.Configuration

  init(caches: ImageCaches, backlog: StoreBacklog, configuration: ImagePipeline.Configuration) {
    self.caches = caches
    self.backlog = backlog
    self.configuration = configuration
  }

  /// The formats by their names.
  var formats: [String: CacheFormat] { state.withLock { $0.formats } }

  func format(named name: String) -> CacheFormat? { state.withLock { $0.formats[name] } }

  /// Gives a name to a format. What another format of that name has left is cleared.
  ///
  /// - Returns: whether the format was not registered before.
  func register(_ format: CacheFormat) -> Bool {
    let (former, preload) = state.withLock { state in
      let former = state.formats.updateValue(format, forKey: format.name)
      return (former, former === format ? nil : state.preloads.removeValue(forKey: format.name))
    }
    if former === format { return false }
    preload?.stop()
    format.attach(to: self)
    if let former {
      former.detach(from: self)
      clear(former)
    }
    capacityDidChange(of: format)
    return true
  }

  /// Takes note of a request: its format is registered if its name is new, and what is being preloaded for it stops,
  /// so as not to stand in its way.
  func noteRequest(in format: CacheFormat) {
    let (isNew, preload) = state.withLock { state in
      let isNew = state.formats[format.name] == nil
      if isNew { state.formats[format.name] = format }
      return (isNew, state.preloads.isEmpty ? nil : state.preloads.removeValue(forKey: format.name))
    }
    preload?.stop()
    guard isNew else { return }
    format.attach(to: self)
    capacityDidChange(of: format)
  }

  /// The request as it is to be understood now: a format whose name was taken means its successor.
  func current(_ request: ImageRequest) -> ImageRequest {
    guard let format = request.format, format.isRetired, let successor = self.format(named: format.name)
    else {
      return request
    }
    return request.inFormat(successor)
  }

  /// Keeps a preload, to be stopped by the first request.
  func begin(_ preload: FormatPreload, of format: CacheFormat) {
    state.withLock { $0.preloads[format.name] = preload }
  }

  func end(_ preload: FormatPreload, of format: CacheFormat) {
    state.withLock { state in
      if state.preloads[format.name] === preload { state.preloads[format.name] = nil }
    }
  }

  /// Stops what is being preloaded.
  func stopPreloads() {
    let preloads = state.withLock { state in
      defer { state.preloads = [:] }
      return state.preloads.values
    }
    for preload in preloads { preload.stop() }
  }

  // MARK: The disk

  func byteCount(of format: CacheFormat) -> Int {
    caches.byteCount(of: format)
  }

  func capacityDidChange(of format: CacheFormat) {
    backlog.enqueue { [caches] in caches.applyCapacity(of: format) }
  }

  /// Removes the pictures of a format and the files made of them from memory alone.
  func removeFromMemory(_ format: CacheFormat) {
    caches.memory.removeValues { $1.formatName == format.name }
    caches.encodedMemory.removeValues { $1.formatName == format.name }
  }

  /// Removes the pictures of a format that was replaced from memory now and its renditions from disk when their turn
  /// comes; what is still being encoded is not written any more.
  private func clear(_ format: CacheFormat) {
    removeFromMemory(format)
    backlog.enqueue { [caches] in caches.removeRenditions(of: format) }
  }

  /// Has the rendition on disk of a picture that memory served marked as used, and written again if it had gone.
  /// Costs the request an entry in a table; the disk is for the queue of writes.
  func noteHit(of cached: CachedPicture, for request: ImageRequest) {
    guard let format = request.format, format.diskCapacity > 0 else { return }
    // The former hit is released outside of the lock, with its request.
    let (isFirst, former) = state.withLock { state in
      let former = state.hits.updateValue(Hit(cached: cached, request: request), forKey: request.key)
      return (state.hits.count == 1 && former == nil, former)
    }
    withExtendedLifetime(former) {}
    if isFirst { backlog.enqueue { self.writeHits() } }
  }

  private func writeHits() {
    let hits = state.withLock { state in
      defer { state.hits = [:] }
      return state.hits
    }
    for hit in hits.values {
      caches.touchRendition(of: hit.cached, for: hit.request) {
        configuration.encodedRendition(of: hit.cached.picture, for: hit.request)
      }
    }
  }
}

/// A preload that is under way.
final class FormatPreload: Sendable {
  private let stopped = Atomic(false)
  var isStopped: Bool { stopped.load(ordering: .relaxed) }
  func stop() { stopped.store(true, ordering: .relaxed) }
}
