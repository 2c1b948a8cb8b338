import Foundation

/// Previews of a picture while it is downloaded.
extension LoadImage {
  /// A running preview maker, and its subscription to the bytes of the download.
  struct Previews: Sendable {
    let maker: PreviewMaker
    let bodyObserver: BodyObserver
    let listener: Int

    func end() {
      bodyObserver.removeListener(listener)
      maker.end()
    }
  }

  /// The previews of the download that the load waits for. They begin and end on different threads, in either order:
  /// the download may finish before its load knows that it waits for it.
  struct PreviewState {
    var active: Previews?
    /// The download that has finished.
    var ended: ObjectIdentifier?
    var isClosed = false
  }

  /// Begins to make previews of a download, if the configuration allows it.
  func beginPreviews(of fetch: FetchWork) {
    guard let bodyObserver = fetch.bodyObserver, configuration.decoding.dataTransformation == nil,
      let make = configuration.decoding.makeProgressiveDecoder
    else { return }
    let maker = PreviewMaker(
      make(configuration.decoding.codecs, request.resize), request: request, configuration: configuration,
      runner: context.runner, level: { [weak self] in self?.level ?? .normal },
      store: { [weak self] in self?.store($0) ?? false },
      takeBack: { [weak self] in self?.removePreview() },
      report: { [weak self] in self?.show($0, isStored: $1) })
    let previews = Previews(
      maker: maker, bodyObserver: bodyObserver, listener: bodyObserver.listen { maker.append($0) })
    let isOver = previewState.withLock { state in
      if state.isClosed || state.ended == ObjectIdentifier(fetch) { return true }
      state.active = previews
      return false
    }
    if isOver { previews.end() }
  }

  /// Ends the previews of one download; without an argument, ends all previews and allows no new ones.
  func endPreviews(of fetch: FetchWork? = nil) {
    guard configuration.decoding.isProgressiveDecodingEnabled else { return }
    let previews = previewState.withLock { state in
      if let fetch { state.ended = ObjectIdentifier(fetch) } else { state.isClosed = true }
      return state.active.take()
    }
    previews?.end()
  }

  /// The current priority of the load.
  private var level: ImagePriority {
    id.flatMap { id in context.runner.look { $0.level(of: id) } } ?? .normal
  }

  /// Puts a preview into memory, unless the finished picture is there. Does not notify observers.
  private func store(_ preview: Picture) -> Bool {
    guard configuration.caching.isStoringPreviewsInMemoryCache, request.cachePolicy == .useCaches,
      request.writesMemory, context.caches.finishedPicture(for: request) == nil
    else { return false }
    var isStored = false
    return right.store {
      isStored = context.caches.insert(preview, stamp: nil, validity: nil, for: request)
    } takeBack: {
      removePreview()
    } && isStored
  }

  private func show(_ preview: Picture, isStored: Bool) {
    if isStored { context.caches.tellStored(preview, for: request) }
    progressEvents.report(preview: preview)
  }

  /// Removes the preview from memory after the load has failed.
  func removePreview() {
    guard configuration.decoding.isProgressiveDecodingEnabled,
      context.caches.memory.contains(request.key),
      let cached = context.caches.memory.value(forKey: request.key), cached.picture.isPreview
    else { return }
    context.caches.memory.removeValue(forKey: request.key)
  }
}
