import OzuBase

/// Access to pictures by keys, without requests.
///
/// The key of a picture is the text of its URL, the path of its file, the key of its fetcher, of its bytes or pixels in memory, or
/// the `cacheKey` of its request. These calls do not distinguish the kinds.
///
/// A key names no size and no processors. Memory answers with the whole picture, or else, for the key of a fetcher or a `cacheKey`,
/// with the last picture that was made under it. The disk answers with what was stored under the key, or with the whole original. A
/// picture of a certain size on disk is found by its request: `image(for: ImageRequest(url: url, resize: resize, cacheKey: key))`,
/// with the cache policy `cacheOnly` where nothing is to be loaded.
extension ImagePipeline {
  /// The picture of a key in a format, from the caches only: memory, the format's renditions, or the original.
  ///
  /// - Throws: `ImageError.notCached` if none of them has it.
  public func image(forKey key: String, format: CacheFormat? = nil) async throws(ImageError) -> Picture {
    if let picture = cachedImage(forKey: key, format: format), !picture.isPreview { return picture }
    for request in ImageRequest.requests(forKey: key, format: format) {
      if request.source.isAtHand || request.isKnownOtherwise {
        // A load would read the source itself, which is not a cache.
        if let picture = await imageFromDisk(for: request) { return picture }
        continue
      }
      do throws(ImageError) {
        return try await image(for: request)
      } catch {
        guard error.kind == .notCached else { throw error }
        // What the app has stored under the text of a URL is not where loads of the URL look.
        if !request.mayHaveRendition, let picture = await imageFromDisk(for: request) { return picture }
      }
    }
    throw .notCached(key)
  }

  /// The picture of a key if memory has it. Synchronous. Without a format it is the picture that was loaded or stored under
  /// the key without a size and processors, or else, for the key of a fetcher or a `cacheKey`, the last one that was loaded with them.
  public func cachedImage(forKey key: String, format: CacheFormat? = nil) -> Picture? {
    for request in ImageRequest.requests(forKey: key, format: format) {
      if let picture = cachedImage(for: request) { return picture }
      guard format == nil, request.sourceKey == ImageSource.ownKey(key) else { continue }
      for other in context.variants.keys(of: request.key.source) {
        if let cached = caches.currentPicture(other, of: request) { return cached.picture }
      }
    }
    return nil
  }

  /// The picture of a key if the disk has it, without asking memory. The picture is put into memory.
  package func diskImage(forKey key: String, format: CacheFormat?) async -> Picture? {
    await context.backlog.drain()
    for request in ImageRequest.requests(forKey: key, format: format) {
      if let picture = await imageFromDisk(for: request) { return picture }
    }
    return nil
  }

  private func imageFromDisk(for request: ImageRequest) async -> Picture? {
    let right = context.epochs.right(to: request)
    return await context.runner.run(on: .disk, priority: .normal) { [cache] in
      guard let (picture, validity) = cache.stored(request, in: .disk) else { return nil }
      cache.keep(picture, for: request, validity: validity, by: right)
      return picture
    }
  }

  /// Stores a picture in the caches, under a key and for a format, without changing it: in memory at once, and in the
  /// background on disk, if the format may use the disk. `cache.store(_:for:layers:)` stores it for a request and waits
  /// for the disk.
  ///
  /// The picture should have the size that the format would give it; this is not checked.
  public func store(_ picture: Picture, forKey key: String, format: CacheFormat? = nil) {
    if let format { registerIfUnknown(format) }
    let request = current(ImageRequest(key: key, format: format))
    cache[request] = picture
    guard request.mayHaveRendition || format == nil else { return }
    let (cache, right) = (cache, context.epochs.right(to: request))
    context.backlog.enqueue { try? cache.storeOnDisk(picture, for: request, by: right) }
  }

  /// Removes the picture of a key in one format; without a format, the picture that was stored without one.
  package func removePicture(forKey key: String, format: CacheFormat?) {
    if let format { registerIfUnknown(format) }
    for request in ImageRequest.requests(forKey: key, format: format).map(current) {
      let hidden = [ImageCaches.Removal.entry(ImageCaches.Wanted.rendition(request).key)]
      caches.beginHiding(hidden)
      context.epochs.beginRemoval(of: request.key.source)
      caches.memory.removeValue(forKey: request.key)
      context.backlog.enqueue { [caches] in
        caches.removeRendition(for: request)
        caches.endHiding(hidden)
      }
    }
  }

  /// Removes the pictures of a key from memory and disk, in every size and format, and the original.
  ///
  /// - Complexity: O(entries of the caches).
  public func removeImage(forKey key: String) async {
    await removeImages(
      of: ImageRequest.requests(forKey: key, format: nil).map {
        $0.keyed(by: configuration)
      })
  }

  /// Removes the pictures of the sources of requests from the caches, in every size and format.
  func removeImages(of requests: [ImageRequest]) async {
    let sources = Set(requests.map(\.key.source))
    let formats = formats.values
    let variants = requests.flatMap { request in [request] + formats.map(request.inFormat) }
    let hidden = sources.union([ImageKey.unknownSource]).map { ImageCaches.Removal.source($0) }
    caches.beginHiding(hidden)
    for source in sources { context.epochs.beginRemoval(of: source) }
    context.originalStorage.removePartialsFromMemory(of: sources)
    for source in sources {
      context.failures.forget(source)
      context.variants.noteRemoval(of: source)
    }
    for variant in variants { caches.memory.removeValue(forKey: variant.key) }
    caches.memory.removeValues { key, _ in
      sources.contains(key.source) || key.source == ImageKey.unknownSource
    }
    caches.encodedMemory.removeValues { _, entry in sources.contains(entry.source) }
    for request in requests {
      guard let url = request.source.webURL else { continue }
      await context.httpCache.removeLeft(
        for: context.exchange(for: request, with: url, priority: .normal), resource: request.sourceKey)
    }
    await context.backlog.drain()
    await context.runner.run(on: .disk, priority: .normal) { [caches] in
      for request in requests { caches.removeOriginal(for: request) }
      caches.removeRenditions(
        for: variants,
        ofSources: requests.flatMap { [$0.label, $0.sourceKey, EntryLabel.text(ofSource: $0.sourceKey)] })
      for source in sources { caches.forgetVariants(of: source) }
    }
    caches.endHiding(hidden)
  }

  /// Removes the pictures of a format, and the files made of them, from memory and from disk. Loads of them that are running store
  /// only their originals.
  /// A disk cache that another one writes forgets them for itself alone, as by `removeImage(for:)`.
  public func removeImages(ofFormat name: String) async {
    let format = formatStore.format(named: name) ?? CacheFormat(name)
    caches.beginHiding(format.removals)
    context.epochs.beginRemoval(ofFormat: name)
    formatStore.removeFromMemory(format)
    // Pictures that are still being encoded would be written after the removal.
    await context.backlog.drain()
    await context.runner.run(on: .disk, priority: .normal) { [caches] in caches.removeRenditions(of: format) }
    caches.endHiding(format.removals)
  }
}

extension ImagePipeline {
  /// The formats that are registered, by their names.
  public var formats: [String: CacheFormat] { formatStore.formats }

  /// Registers a format. Another one of the same name is replaced, and what it left in the caches is cleared;
  /// registering the same one again does nothing. Requests that still name the other one are answered in this one.
  ///
  /// Then renditions on disk go into memory as the format's preload policy says, those used last first, until
  /// memory is full or the first request of the format arrives.
  ///
  /// - Returns: the preload, to wait for it or to cancel it. It need not be kept.
  @discardableResult
  public func register(_ format: CacheFormat) -> CacheFormat.Preload {
    guard formatStore.register(format), format.options.preloadPolicy != .none, format.diskCapacity > 0 else {
      return CacheFormat.Preload(Task { 0 })
    }
    let preload = PreloadFormat(context: context, format: format)
    return CacheFormat.Preload(formatStore.begin({ await preload.run() }, of: format))
  }

  /// Takes note that a view asks for a format: it is registered, or what is being preloaded for it stops.
  func use(_ format: CacheFormat) {
    if formatStore.format(named: format.name) == nil {
      register(format)
    } else {
      formatStore.noteRequest(in: format)
    }
  }

  /// Registers a format unless one of its name is there.
  func registerIfUnknown(_ format: CacheFormat) {
    if formatStore.format(named: format.name) == nil { register(format) }
  }
}

extension CacheFormat {
  /// The preload that `ImagePipeline.register(_:)` starts. It ends by itself when all is in memory that the format's policy names,
  /// when memory is full, or with the first request of the format.
  public struct Preload: Sendable {
    private let work: Task<Int, Never>

    init(_ work: Task<Int, Never>) { self.work = work }

    /// How many pictures went into memory. Waits for the end of the preload.
    public var count: Int {
      get async { await work.value }
    }

    /// Ends the preload. The pictures that are in memory stay there.
    public func cancel() { work.cancel() }
  }
}

extension ImagePipeline {
  /// The picture that a view would show at once: the picture in memory for a request with the view's size.
  /// Synchronous, and changes nothing.
  ///
  /// For toolkits that build a view's content again after every change: with this they never begin with a placeholder
  /// for a picture in memory.
  ///
  /// - Parameters:
  ///   - size: the size of the picture's area, in points; `nil` if it is not known.
  ///   - scale: the number of pixels per point.
  ///   - mode: how the picture is scaled to the size.
  ///   - cacheFormat: the view's own cache format; `nil` (the default) for the automatic one.
  /// - Returns: `nil` if memory has no such picture, or if it depends on an unknown size.
  @MainActor
  public func cachedImage(
    for request: ImageRequest, in size: DisplaySize?, scale: Double, mode: ScaleMode,
    cacheFormat: CacheFormat? = nil, automaticFormat: AutomaticFormat = AutomaticFormat()
  ) -> Picture? {
    let target = DisplayTarget(
      request, mode: mode, size: size, scale: scale, cacheFormat: cacheFormat, automatic: automaticFormat,
      pipeline: self)
    // As a view looks for it: without the preview of a load, which a view shows only when it has joined the load.
    return target.flatMap { memoryResponse(for: $0.request)?.picture }
  }
}
