import OzuBase

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

  /// Begins to make previews of a download, if the configuration allows it: the request's own recipe for the part that is there.
  /// Closures of a format see finished pictures alone, so its pictures have no previews.
  func beginPreviews(of fetch: FetchWork) {
    guard let bodyObserver = fetch.bodyObserver, configuration.decoding.dataTransformation == nil,
      !request.recipe.hasHooks,
      let make = configuration.decoding.makeProgressiveDecoder
    else { return }
    let maker = PreviewMaker(make(configuration.decoding.codecs, request.resize), for: self)
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
  fileprivate var level: ImagePriority {
    id.flatMap { id in context.runner.look { $0.level(of: id) } } ?? .normal
  }

  /// Puts a preview into memory, unless the finished picture is there. Does not notify observers.
  fileprivate func store(_ preview: Picture) -> Bool {
    guard configuration.caching.isStoringPreviewsInMemoryCache, request.cachePolicy == .useCaches,
      request.writesMemory, context.lookAgain(for: request) == nil
    else { return false }
    return context.caches.insert(preview, stamp: nil, validity: nil, for: request, by: right)
  }

  fileprivate func show(_ preview: Picture, isStored: Bool) {
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

/// Makes previews of one picture while its file arrives.
///
/// Bytes go to the decoder as they arrive. A preview is made on the decoding threads when there is at least a quarter
/// more bytes than at the last one, and never two at a time; bytes that arrive meanwhile are shown by the next one.
/// So previews are reported in order, a slow decoder is not flooded by a fast network, and a file is decoded only a
/// few times. After `end()` no preview begins or is stored; the report of an earlier one may still be on its way.
///
/// One lock guards the state. Previews are stored and reported outside the lock, because the memory level, observers
/// and subscribers may be code of the app.
final class PreviewMaker: Sendable {
  private struct State {
    var byteCount = 0
    /// The number of bytes from which the next preview is made.
    var dueByteCount = PreviewMaker.firstByteCount
    var isBusy = false
    var isOver = false
    var place: SlotID?
    /// The maker lives as long as the load or the download.
    weak var load: LoadImage?
  }

  /// A shorter beginning contains no header.
  private static let firstByteCount = 1 << 10

  private let decoder: any ProgressiveDecoding
  private let request: ImageRequest
  private let context: LoadContext
  private let isEnded = Atomic(false)
  private let state: Mutex<State>

  init(_ decoder: any ProgressiveDecoding, for load: LoadImage) {
    self.decoder = decoder
    (request, context) = (load.request, load.context)
    state = Mutex(State(load: load))
  }

  private var load: LoadImage? { state.withLock { $0.load } }

  /// Adds the next bytes.
  func append(_ data: Data) {
    decoder.append(data)
    state.withLock { $0.byteCount += data.count }
    makeIfDue()
  }

  /// Ends the previews. A preview that is being made is stopped, and is neither stored nor reported.
  func end() {
    isEnded.store(true, ordering: .relaxed)
    let place = state.withLock { state in
      state.isOver = true
      return state.place
    }
    if let place { context.runner.unsubscribe(place) }
  }

  private func makeIfDue() {
    let size = state.withLock { state -> Int? in
      guard !state.isOver, !state.isBusy, state.byteCount >= state.dueByteCount else { return nil }
      state.isBusy = true
      state.dueByteCount = state.byteCount + max(state.byteCount / 4, 1)
      return state.byteCount
    }
    guard let size else { return }
    // Its size lets smaller finished pictures of the same priority go first.
    let level = load?.level ?? .normal
    let place = context.runner.enqueue(on: .decode, priority: level, size: size) { self.make() }
    let isOver = state.withLock { state in
      state.place = place
      return state.isOver
    }
    if isOver { context.runner.unsubscribe(place) }
  }

  private func make() {
    var isUsable = true
    do throws(ImageDecodingError) {
      let context = request.decoding.context(context.configuration.decoding) {
        self.isEnded.load(ordering: .relaxed)
      }
      if !isEnded.load(ordering: .relaxed), let picture = try decoder.preview(context: context) {
        tell(picture)
      }
    } catch {
      // Ignored here: the final decode reports errors in the complete file.
      isUsable = false
    }
    state.withLock { state in
      state.isBusy = false
      if !isUsable { state.isOver = true }
    }
    makeIfDue()
  }

  private func tell(_ picture: Picture) {
    let configuration = context.configuration
    guard
      let processed = try? picture.processed(
        by: request.processors, context: configuration.processingContext),
      !state.withLock({ $0.isOver }), let load
    else { return }
    let isStored = load.store(processed)
    // If `end` was called meanwhile, the preview must not stay: it is removed before the finished picture is stored,
    // which takes at least a decode longer.
    guard !state.withLock({ $0.isOver }) else {
      if isStored { load.removePreview() }
      return
    }
    load.show(processed, isStored: isStored)
  }
}

/// Decodes previews of a picture whose file is still arriving.
///
/// `append` may be called from any thread and returns at once. `preview` works on the calling thread, and uses the
/// bytes that came since its last call.
protocol ProgressiveDecoding: Sendable {
  /// Adds the next bytes of the file.
  func append(_ data: Data)

  /// The picture so far, at the size of the recipe; `nil` if there is nothing new to show.
  ///
  /// - Throws: `ImageDecodingError`, after which it is not called again.
  func preview(context: DecodingContext) throws(ImageDecodingError) -> Picture?
}

extension IncrementalDecoder: ProgressiveDecoding {}
