import Foundation
import OzuSynchronization

/// Makes previews of one picture while its file comes.
///
/// Bytes are handed on as they come; a preview is made on the decoding threads when there is at least a quarter more than
/// at the last one, and never two at a time: what comes meanwhile is shown by the next. So previews are told in
/// order, a slow decoder is not chased by a fast network, and a file is looked at a few times in all. After `end()`
/// none is begun or stored; one that was stored before may still be on its way to those who are told.
///
/// One lock guards the account. Previews are stored and reported outside of it, because the memory level, observers and
/// followers may be the app's.
final class PreviewMaker: Sendable {
  private struct State {
    var byteCount = 0
    /// There must be so many bytes for the next preview.
    var dueByteCount = PreviewMaker.firstByteCount
    var isBusy = false
    var isOver = false
    var place: SlotID?
  }

  /// Fewer bytes than these have no header.
  private static let firstByteCount = 1 << 10

  private let decoder: any ProgressiveDecoding
  private let request: ImageRequest
  private let configuration: ImagePipeline.Configuration
  private let runner: JobRunner
  private let level: @Sendable () -> ImagePriority
  private let store: @Sendable (Picture) -> Bool
  private let takeBack: @Sendable () -> Void
  private let report: @Sendable (_ preview: Picture, _ isStored: Bool) -> Void
  private let isEnded = Atomic(false)
  private let state = Mutex(State())

  /// - Parameters:
  ///   - store: puts a preview into memory, if it belongs there.
  ///   - takeBack: removes it.
  ///   - report: tells of a preview, and whether it was stored; called outside of all locks.
  init(
    _ decoder: any ProgressiveDecoding, request: ImageRequest, configuration: ImagePipeline.Configuration,
    runner: JobRunner, level: @escaping @Sendable () -> ImagePriority,
    store: @escaping @Sendable (Picture) -> Bool, takeBack: @escaping @Sendable () -> Void,
    report: @escaping @Sendable (_ preview: Picture, _ isStored: Bool) -> Void
  ) {
    self.decoder = decoder
    self.request = request
    self.configuration = configuration
    self.runner = runner
    self.level = level
    self.store = store
    self.takeBack = takeBack
    self.report = report
  }

  /// Takes the next bytes.
  func append(_ data: Data) {
    decoder.append(data)
    state.withLock { $0.byteCount += data.count }
    makeIfDue()
  }

  /// Ends the previews; one that is being made is stopped, and neither stored nor told.
  func end() {
    isEnded.store(true, ordering: .relaxed)
    let place = state.withLock { state in
      state.isOver = true
      return state.place
    }
    if let place { runner.unsubscribe(place) }
  }

  private func makeIfDue() {
    let size = state.withLock { state -> Int? in
      guard !state.isOver, !state.isBusy, state.byteCount >= state.dueByteCount else { return nil }
      state.isBusy = true
      state.dueByteCount = state.byteCount + max(state.byteCount / 4, 1)
      return state.byteCount
    }
    guard let size else { return }
    // A preview goes behind finished pictures of its level by its size.
    let place = runner.enqueue(on: .decode, priority: level(), size: size) { self.make() }
    let isOver = state.withLock { state in
      state.place = place
      return state.isOver
    }
    if isOver { runner.unsubscribe(place) }
  }

  private func make() {
    var isUsable = true
    do throws(DecodingError) {
      let context = DecodingContext(
        limits: configuration.decoding.limits, pool: configuration.decoding.pixelBufferPool,
        budget: configuration.decoding.decodedByteBudget,
        isCancelled: { self.isEnded.load(ordering: .relaxed) })
      if !isEnded.load(ordering: .relaxed), let picture = try decoder.preview(context: context) {
        tell(picture)
      }
    } catch {
      // What is wrong with the file is said when it is whole.
      isUsable = false
    }
    state.withLock { state in
      state.isBusy = false
      if !isUsable { state.isOver = true }
    }
    makeIfDue()
  }

  private func tell(_ picture: Picture) {
    let surroundings = ProcessingContext(
      pool: configuration.decoding.pixelBufferPool, limits: configuration.decoding.limits)
    guard let processed = try? picture.processed(by: request.processors, context: surroundings) else {
      return
    }
    guard !state.withLock({ $0.isOver }) else { return }
    let isStored = store(processed)
    // The finished picture comes later than a decode after the end of its download: what came in between is taken back.
    guard !state.withLock({ $0.isOver }) else {
      if isStored { takeBack() }
      return
    }
    report(processed, isStored)
  }
}
