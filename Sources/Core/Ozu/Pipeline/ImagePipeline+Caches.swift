import OzuBase
import OzuCaching

extension ImagePipeline {
  /// Waits until all pictures loaded so far are in the disk cache and survive the end of the process.
  public func flush() async {
    await context.httpCache.backgroundValidations()
    await context.backlog.drain()
    await context.runner.run(on: .disk, priority: .normal) { [caches] in caches.stores.flushFirst() }
    await caches.stores.flushFurther(sleep: configuration.testing.sleep)
  }

  /// Removes the pictures of a request's source from memory and disk, in every size and format, and the original.
  /// `cache.remove(_:)` removes only one picture.
  ///
  /// It reaches the loads that are running: they return their pictures to those who wait for them, but store nothing. A request
  /// that comes after this call loads again, and does not join them. A disk cache that another one writes, here or in another
  /// process, forgets the pictures for itself alone, and `onDiskError` receives an error.
  ///
  /// - Complexity: O(entries of the caches).
  public func removeImage(for request: ImageRequest) async {
    var whole = request
    whole.resize = nil
    whole.processors = []
    let requests = [request, whole].map { $0.keyed(by: configuration) }
    await removeImages(of: requests)
  }

  /// Removes the pictures of a URL, as `removeImage(for:)` does for its request.
  public func removeImage(for url: URL) async {
    await removeImage(for: ImageRequest(url: url))
  }

  /// Empties the memory cache and the disk cache. Loads that are running store nothing, as for `removeImage(for:)`. A disk cache
  /// that another one writes stays as it is, and `ImagePipeline.Configuration.Caching.onDiskError` receives an error.
  public func removeAllImages() async {
    caches.beginHiding([.all])
    context.epochs.beginRemovalOfAll()
    formatStore.stopPreloads()
    context.failures.forgetAll()
    context.originalStorage.removePartialsFromMemory(of: nil)
    context.variants.noteRemoval(of: nil)
    removeImagesFromMemory()
    await context.backlog.drain()
    await context.runner.run(on: .disk, priority: .normal) { [caches] in caches.emptyStores() }
    caches.endHiding([.all])
  }

  /// Empties the memory cache; the disk cache stays.
  public func removeImagesFromMemory() {
    caches.memory.removeAll()
    caches.encodedMemory.removeAll()
  }

  /// The entries and bytes of the memory cache, and its hits and misses.
  public var memoryCacheStatistics: MemoryCacheStatistics { caches.memory.statistics }

  /// The disk cache; `nil` if the pipeline has none. The first access opens it and blocks until it is open, so do not
  /// make it on the main thread.
  public var diskCache: DiskCache? { caches.stores.disk }
}

/// Synchronous access to pictures in memory. `cache` asks the disk too.
extension ImagePipeline {
  /// The picture of a request if memory has it. Synchronous; it never waits. For a request of a local file it checks the
  /// file's date and size, so that a picture of a changed file is never shown.
  ///
  /// A picture from the web is returned even if it is no longer fresh, because it is better than a placeholder.
  /// `image(for:)` validates it and returns the newer one.
  public func cachedImage(for request: ImageRequest) -> Picture? {
    guard request.readsMemory else { return nil }
    // The common case, on the shortest way, which counts one reference.
    if request.needsNoAdjustment, takesRequestsAsTheyAre {
      return memory.picture(forKey: request.key)
    }
    let request = current(request)
    let cached = caches.cachedPicture(for: request)
    if context.events.isObserved { context.events.lookedIntoMemory(cached, for: request) }
    if let cached, request.format != nil { formatStore.noteHit(of: cached, for: request) }
    return cached?.picture.at(scale: request)
  }

  /// The picture of a URL at its own size if memory has it.
  public func cachedImage(for url: URL) -> Picture? {
    cachedImage(for: ImageRequest(url: url))
  }

  /// The largest picture of a request's source that memory has, in any size, to show until the picture of the request is
  /// loaded. Processed pictures, animations, pictures of 16 bits, and pictures of a file that has changed since, are left out.
  /// Synchronous; it never waits.
  public func cachedImage(ofSourceOf request: ImageRequest) -> Picture? {
    let request = current(request)
    guard request.readsMemory else { return nil }
    for made in context.variants.finished(of: request.key.source).reversed() {
      if let cached = caches.currentPicture(made.key, of: request) { return cached.picture }
    }
    return nil
  }
}

extension ImagePipeline {
  /// Direct access to the entries of the caches, by request.
  ///
  /// ```swift
  /// pipeline.cache[request] = picture
  /// if let shown = pipeline.cache[request] { view.show(shown) }
  /// ```
  public var cache: Cache { Cache(pipeline: self) }

  /// `removeImagesFromMemory()` empties it, `cacheContents()` says how full it is, and `configuration.caching.memoryCache` has
  /// its limits.
  @available(
    *, unavailable,
    message: "use 'cache' for entries, 'cacheContents()' for sizes, or 'removeImagesFromMemory()'"
  )
  public var memoryCache: Cache { cache }

  /// The layers of the caches.
  public struct CacheLayers: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public let rawValue: UInt8

    /// Makes a set of bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// The memory cache.
    public static let memory = CacheLayers(rawValue: 1)
    /// The finished pictures in the disk cache ("renditions").
    public static let renditions = CacheLayers(rawValue: 2)
    /// The originals in the disk cache, as they were loaded.
    public static let originals = CacheLayers(rawValue: 4)
    /// The disk cache: renditions and originals.
    public static let disk: CacheLayers = [.renditions, .originals]
    /// All of them.
    public static let all: CacheLayers = [.memory, .disk]
  }

  /// The entries of a pipeline's caches.
  ///
  /// All members are synchronous. Those that include the disk read files on the calling thread: do not call them on the
  /// main thread or on Swift's cooperative threads.
  public struct Cache: Sendable {
    let pipeline: ImagePipeline

    /// The picture of a request in memory. Setting `nil` removes it there.
    public subscript(request: ImageRequest) -> Picture? {
      get { pipeline.caches.cachedPicture(for: keyed(request))?.picture.at(scale: request) }
      nonmutating set {
        if let newValue {
          keep(newValue, for: request, by: nil)
        } else {
          pipeline.caches.memory.removeValue(forKey: keyed(request).key)
        }
      }
    }

    /// Puts a picture into memory.
    ///
    /// - Parameter right: `nil` for what the app stores itself.
    func keep(
      _ picture: Picture, for request: ImageRequest, validity: OriginalValidity? = nil, by right: EpochRight?
    ) {
      let request = keyed(request)
      pipeline.caches.store(picture, stamp: stamp(of: request), validity: validity, for: request, by: right)
    }

    /// The picture of a request in the given layers, memory first. A picture from disk is decoded on the calling thread:
    /// the finished rendition, or else the original with the request's recipe. The preview of a running load does not count.
    public func image(for request: ImageRequest, layers: CacheLayers = .all) -> Picture? {
      if layers.contains(.memory), let picture = self[request], !picture.isPreview { return picture }
      return stored(request, in: layers)?.picture
    }

    /// The picture of a request on disk, and how long it is valid.
    func stored(
      _ request: ImageRequest, in layers: CacheLayers
    ) -> (picture: Picture, validity: OriginalValidity?)? {
      guard !layers.isDisjoint(with: .disk) else { return nil }
      let request = keyed(request)
      let configuration = pipeline.configuration
      if layers.contains(.renditions), let rendition = pipeline.caches.rendition(for: request),
        let picture = try? configuration.decoding.codecs.picture(
          from: rendition.data, context: RequestedDecoding.written.context(configuration.decoding))
      {
        return (rendition.picture(picture).at(scale: request), rendition.record.validity)
      }
      guard layers.contains(.originals), var data = pipeline.caches.original(for: request) else { return nil }
      // Originals are stored as their sources sent them.
      if let transform = configuration.decoding.dataTransformation,
        !configuration.sources.usesFetcher(request.source)
      {
        guard let transformed = try? transform(data, request) else { return nil }
        data = transformed
      }
      guard
        let picture = try? configuration.decoding.codecs.picture(
          from: data, resize: request.decodingResize,
          context: request.decoding.context(configuration.decoding))
      else { return nil }
      guard
        let made = try? picture.processed(
          by: request.decodedSteps, context: configuration.processingContext)
      else { return nil }
      return (made.at(scale: request), request.source.webURL == nil ? nil : OriginalValidity.unknown)
    }

    /// The bytes of a request's original in the disk cache.
    public func data(for request: ImageRequest) -> Data? {
      pipeline.caches.original(for: keyed(request))
    }

    /// Stores a picture as the result of a request in the given layers; on disk as a rendition.
    ///
    /// - Throws: `ImageEncodingError` when it cannot be encoded for the disk.
    public func store(
      _ picture: Picture, for request: ImageRequest, layers: CacheLayers = .all
    ) throws(ImageEncodingError) {
      let request = keyed(request)
      let right = pipeline.context.epochs.right(to: request)
      if layers.contains(.memory) { self[request] = picture }
      if layers.contains(.renditions) { try storeOnDisk(picture, for: request, by: right) }
    }

    /// The same on disk alone, unless the picture has been removed since the right began.
    func storeOnDisk(
      _ picture: Picture, for request: ImageRequest, by right: EpochRight
    ) throws(ImageEncodingError) {
      if let format = request.format, format.diskCapacity == 0 { return }
      guard let encoding = pipeline.configuration.encoding(of: picture, for: request) else { return }
      let data = try pipeline.configuration.decoding.codecs.encode(
        picture, as: encoding.type, options: encoding.options)
      let record = RenditionRecord(of: picture, stamp: stamp(of: request), validity: nil)
      pipeline.caches.store(ImageCaches.Rendition(data, record), for: request, by: right)
    }

    /// Whether one of the layers has the result of a request, or the disk has the original that it can be made from. The preview of
    /// a running load is no result.
    public func contains(_ request: ImageRequest, layers: CacheLayers = .all) -> Bool {
      let request = keyed(request)
      if layers.contains(.memory), pipeline.caches.finishedPicture(for: request) != nil { return true }
      return layers.contains(.renditions) && pipeline.caches.rendition(for: request) != nil
        || layers.contains(.originals) && pipeline.caches.original(for: request) != nil
    }

    /// Removes the result of a request from the given layers; its original too, if they include `originals`. Loads of the source
    /// that are running store nothing.
    public func remove(_ request: ImageRequest, layers: CacheLayers = .all) {
      let request = keyed(request)
      var hidden: [ImageCaches.Removal] = []
      if layers.contains(.renditions) { hidden.append(.entry(ImageCaches.Wanted.rendition(request).key)) }
      if layers.contains(.originals) { hidden.append(.entry(ImageCaches.Wanted.original(request).key)) }
      pipeline.caches.beginHiding(hidden)
      defer { pipeline.caches.endHiding(hidden) }
      pipeline.context.epochs.beginRemoval(of: request.key.source)
      if layers.contains(.memory) { self[request] = nil }
      if layers.contains(.renditions) {
        pipeline.caches.removeRendition(for: request)
        pipeline.caches.forgetStored(request)
      }
      if layers.contains(.originals) {
        pipeline.context.originalStorage.removePartialsFromMemory(of: [request.key.source])
        pipeline.caches.removeOriginal(for: request)
      }
    }

    /// `removeAllImages()` of the pipeline empties memory and disk.
    @available(
      *, unavailable, message: "use 'await pipeline.removeAllImages()' or 'pipeline.removeImagesFromMemory()'"
    )
    public func removeAll() {}

    /// The key of a request's result.
    public func key(for request: ImageRequest) -> ImageKey { keyed(request).key }

    private func keyed(_ request: ImageRequest) -> ImageRequest { pipeline.current(request) }

    private func stamp(of request: ImageRequest) -> FileStamp? {
      request.source.filePath.flatMap(FileStamp.init(path:))
    }
  }
}

/// The same by URL, for pictures at their own size.
extension ImagePipeline.Cache {
  /// The picture of a URL in memory. Setting `nil` removes it there.
  public subscript(url: URL) -> Picture? {
    get { self[ImageRequest(url: url)] }
    nonmutating set { self[ImageRequest(url: url)] = newValue }
  }

  /// The picture of a URL in the given layers.
  public func image(for url: URL, layers: ImagePipeline.CacheLayers = .all) -> Picture? {
    image(for: ImageRequest(url: url), layers: layers)
  }

  /// The bytes of a URL's original in the disk cache.
  public func data(for url: URL) -> Data? { data(for: ImageRequest(url: url)) }

  /// Stores a picture as that of a URL in the given layers.
  ///
  /// - Throws: `ImageEncodingError` when it cannot be encoded for the disk.
  public func store(
    _ picture: Picture, for url: URL, layers: ImagePipeline.CacheLayers = .all
  ) throws(ImageEncodingError) {
    try store(picture, for: ImageRequest(url: url), layers: layers)
  }

  /// Whether one of the layers has the picture of a URL.
  public func contains(_ url: URL, layers: ImagePipeline.CacheLayers = .all) -> Bool {
    contains(ImageRequest(url: url), layers: layers)
  }

  /// The key of the picture of a URL.
  public func key(for url: URL) -> ImageKey { key(for: ImageRequest(url: url)) }

  /// Removes the picture of a URL from the given layers.
  public func remove(_ url: URL, layers: ImagePipeline.CacheLayers = .all) {
    remove(ImageRequest(url: url), layers: layers)
  }
}

extension ImagePipeline {
  /// The entries and bytes in the caches, and the limits: the one place for "how full is it". Further stores (`caching.stores`) are
  /// not asked.
  ///
  /// The first call opens the disk cache, on a disk thread of the pipeline.
  ///
  /// - Complexity: O(1).
  public func cacheContents() async -> CacheContents {
    let disk = await context.runner.run(on: .disk, priority: .normal) { [caches] in
      caches.stores.disk.map {
        CacheContents.Part(
          entryCount: $0.count, byteCount: $0.totalByteCount, byteLimit: $0.capacity,
          evictionCount: caches.evictionCounts.values.reduce(0, +))
      }
    }
    let caching = configuration.caching
    return CacheContents(
      memory: caching.imageCache == nil
        ? CacheContents.Part(caches.memory.statistics, caching.memoryCache) : nil,
      encodedMemory: CacheContents.Part(caches.encodedMemory.statistics, caching.encodedMemoryCache),
      disk: disk)
  }
}

extension ImagePipeline {
  /// Handles an event, and returns when that is done.
  ///
  /// - After a memory warning the memory cache is emptied and idle pixel memory is released. Views keep their
  ///   pictures.
  /// - In the background the memory caches of pictures and of encoded images shrink to a tenth of their limits, because
  ///   systems end the largest suspended apps first, and idle pixel memory is released; the pictures used most stay for the
  ///   return of the app. A memory cache of a type of the app's own (`caching.imageCache`) is left to the app. A disk cache in
  ///   the container of an app group, or by `caching.releasesDiskLocksInBackground`, then stores what waits and gives its
  ///   locks back (`DiskCache.suspend()`), because iOS ends an app that it suspends with a lock there. One that is opened
  ///   later has none until the foreground. At last all caches are written to disk (`flush()`).
  /// - In the foreground remembered failures are forgotten, because many loads fail when the app is stopped, and that disk
  ///   cache takes its lock again.
  public func handle(_ event: ApplicationEvent) async { await handle(event, number: note(event)) }

  /// The number of an event, to be taken at the moment when it comes: tasks that handle events may begin in another order.
  package func note(_ event: ApplicationEvent) -> Int {
    event == .memoryWarning ? 0 : caches.stores.diskStore?.noteEvent() ?? 0
  }

  /// Handles an event that came when its number was taken.
  package func handle(_ event: ApplicationEvent, number: Int) async {
    switch event {
    case .memoryWarning:
      removeImagesFromMemory()
      configuration.decoding.pixelBufferPool.releaseIdle()
    case .background:
      // Memory first: the system may stop the app before the disk cache is written.
      caches.memory.trimToTenth()
      caches.encodedMemory.trim(toCost: caches.encodedMemory.costLimit / 10)
      configuration.decoding.pixelBufferPool.releaseIdle()
      // The locks before the flush, which waits for validations and further stores: the network may take longer than the time
      // that the system grants.
      await context.backlog.drain()
      // The app may be back by now; then this does nothing.
      await setDiskInBackground(true, at: number)
      await flush()
    case .foreground:
      context.failures.forgetAll()
      await setDiskInBackground(false, at: number)
    }
  }

  private func setDiskInBackground(_ isInBackground: Bool, at event: Int) async {
    guard let store = caches.stores.diskStore else { return }
    await context.runner.run(on: .disk, priority: .high) { store.setInBackground(isInBackground, at: event) }
  }
}
