import OzuBase

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
