import OzuBase

/// The cache formats of one pipeline, and the operations on their renditions except loading.
///
/// One lock guards the table. Operations on the disk go through the backlog, in order: a replaced format is cleared
/// before its successor stores anything.
final class FormatStore: Sendable {
  private struct State {
    var formats: [String: CacheFormat] = [:]
    var preloads: [String: Task<Int, Never>] = [:]
    /// Memory hits whose renditions on disk must still be marked as used.
    var hits: [ImageKey: Hit] = [:]
  }

  struct Hit: Sendable {
    let cached: CachedPicture
    let request: ImageRequest
    /// The right to write the rendition again.
    let right: EpochRight
  }

  /// The most hits that wait: each holds its picture, which memory may evict while the disk does not answer.
  static let hitLimit = 128

  private let state = Mutex(State())
  private let context: LoadContext
  var caches: ImageCaches { context.caches }

  init(_ context: LoadContext) { self.context = context }

  var formats: [String: CacheFormat] { state.withLock { $0.formats } }

  func format(named name: String) -> CacheFormat? { state.withLock { $0.formats[name] } }

  /// Registers a format under its name. The entries of another format of that name are removed.
  ///
  /// - Parameter replaces: whether this format also answers the requests of the other one from now on.
  /// - Returns: whether the format was not registered before.
  func register(_ format: CacheFormat, replaces: Bool = true) -> Bool {
    let (former, preload) = state.withLock { state in
      let former = state.formats.updateValue(format, forKey: format.name)
      return (former, former === format ? nil : state.preloads.removeValue(forKey: format.name))
    }
    if former === format { return false }
    preload?.cancel()
    format.attach(to: self)
    if let former {
      if replaces { former.attach(to: self, isReplaced: true) } else { former.detach(from: self) }
      clear(former)
    }
    capacityDidChange(of: format)
    return true
  }

  /// Notes a request in a format: registers the format if its name is new, and stops the preload of the format, so
  /// that it does not delay the request.
  ///
  /// - Returns: false if another format has the name.
  @discardableResult
  func noteRequest(in format: CacheFormat) -> Bool {
    let (known, preload) = state.withLock { state in
      let known = state.formats[format.name]
      if known == nil { state.formats[format.name] = format }
      return (known, state.preloads.isEmpty ? nil : state.preloads.removeValue(forKey: format.name))
    }
    preload?.cancel()
    if let known { return known === format }
    format.attach(to: self)
    capacityDidChange(of: format)
    return true
  }

  /// The request in the format that has the name: the successor of a format that the app has replaced, or the one that
  /// was first used of several equal ones. A format with other contents takes the name, because the pictures in the
  /// caches are not its own.
  func current(_ request: ImageRequest) -> ImageRequest {
    guard let format = request.format, let known = self.format(named: format.name), known !== format else {
      return request
    }
    if format.isReplaced(in: self) { return request.inFormat(known) }
    if format.isInterchangeable(with: known) { return request.sharing(known) }
    _ = register(format, replaces: false)
    return request
  }

  /// Starts a preload, which the first request stops.
  func begin(_ preload: @escaping @Sendable () async -> Int, of format: CacheFormat) -> Task<Int, Never> {
    let task = Task.detached { await preload() }
    // After its end it stays there until the first request, and costs nothing.
    state.withLock { $0.preloads[format.name] = task }
    return task
  }

  func stopPreloads() {
    let preloads = state.withLock { state in
      defer { state.preloads = [:] }
      return state.preloads.values
    }
    for preload in preloads { preload.cancel() }
  }

  // MARK: The disk

  func capacityDidChange(of format: CacheFormat) {
    context.backlog.enqueue { [caches] in caches.applyCapacity(of: format) }
  }

  /// Removes the pictures and encoded files of a format from memory only.
  func removeFromMemory(_ format: CacheFormat) {
    caches.memory.removeValues { $1.formatName == format.name }
    caches.encodedMemory.removeValues { $1.formatName == format.name }
  }

  /// Removes the pictures of a replaced format from memory now, and queues the removal of its renditions from disk,
  /// which are hidden meanwhile. Loads in it that are running store only their originals, and no later request joins them.
  private func clear(_ format: CacheFormat) {
    context.epochs.beginRemoval(ofFormat: format.name)
    removeFromMemory(format)
    caches.beginHiding(format.removals)
    context.backlog.enqueue { [caches] in
      caches.removeRenditions(of: format)
      caches.endHiding(format.removals)
    }
  }

  /// Queues a mark that the rendition of a memory hit was used; a rendition that was evicted is written again. The
  /// request only pays for an entry in a table; the queue of writes does the rest.
  func noteHit(of cached: CachedPicture, for request: ImageRequest) {
    // The preview of a running load is no rendition: a load that fails would leave it on disk.
    guard let format = request.format, format.diskCapacity > 0, !cached.picture.isPreview else { return }
    // The former hit is released outside the lock, with its request.
    let hit = Hit(cached: cached, request: request, right: context.epochs.right(to: request))
    let (isFirst, former) = state.withLock { state -> (Bool, Hit?) in
      guard state.hits.count < Self.hitLimit || state.hits[request.key] != nil else { return (false, nil) }
      let former = state.hits.updateValue(hit, forKey: request.key)
      return (state.hits.count == 1 && former == nil, former)
    }
    withExtendedLifetime(former) {}
    if isFirst { context.backlog.enqueue { self.writeHits() } }
  }

  private func writeHits() {
    let hits = state.withLock { state in
      defer { state.hits = [:] }
      return state.hits
    }
    for hit in hits.values {
      caches.touchRendition(of: hit.cached, for: hit.request, by: hit.right) {
        guard context.storesRendition(of: hit.request) else { return nil }
        return context.configuration.encodedRendition(of: hit.cached.picture, for: hit.request)
      }
    }
  }
}
