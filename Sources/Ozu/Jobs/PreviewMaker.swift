import Foundation
import OzuSynchronization

/// Makes previews of one picture while its file comes.
///
/// Bytes are handed on as they come; a preview is made on the decoding threads when there is at least a quarter more than
/// at the last one, and never two at a time: what comes meanwhile is shown by the next. So previews are told in
/// order, a slow decoder is not chased by a fast network, and a file is looked at a few times in all. After `end()`
/// none is begun or stored; one that was stored before may still be on its way to those who are told.
///
/// One lock guards the account. A preview goes into memory under it, so that none takes the place of the finished
/// picture after `end()`. It is reported outside of it, because observers and followers of the app hear of it.
final class PreviewMaker: Sendable {
  private struct State {
    var byteCount = 0
    /// There must be so many bytes for the next preview.
    var dueByteCount = PreviewMaker.firstByteCount
    var isBusy = false
    var isOver = false
    var place: Int?
  }

  /// Fewer bytes than these have no header.
  private static let firstByteCount = 1 << 10

  private let decoder: any ProgressiveDecoding
  private let request: ImageRequest
  private let configuration: ImagePipeline.Configuration
  private let queue: WorkQueue
  private let priority: LivePriority
  private let store: @Sendable (Picture) -> Bool
  private let report: @Sendable (_ preview: Picture, _ isStored: Bool) -> Void
  private let flag = CancellationFlag()
  private let state = Mutex(State())

  /// - Parameters:
  ///   - store: puts a preview into memory, if it belongs there; called under the lock.
  ///   - report: tells of a preview, and whether it was stored; called outside of all locks.
  init(
    _ decoder: any ProgressiveDecoding, request: ImageRequest, configuration: ImagePipeline.Configuration,
    queue: WorkQueue, priority: LivePriority, store: @escaping @Sendable (Picture) -> Bool,
    report: @escaping @Sendable (_ preview: Picture, _ isStored: Bool) -> Void
  ) {
    self.decoder = decoder
    self.request = request
    self.configuration = configuration
    self.queue = queue
    self.priority = priority
    self.store = store
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
    flag.raise()
    let place = state.withLock { state in
      state.isOver = true
      return state.place
    }
    if let place { queue.remove(place) }
  }

  private func makeIfDue() {
    state.withLock { state in
      guard !state.isOver, !state.isBusy, state.byteCount >= state.dueByteCount else { return }
      state.isBusy = true
      state.dueByteCount = state.byteCount + max(state.byteCount / 4, 1)
      // Under the lock, so that the place is known before the work begins. A preview goes behind finished pictures
      // of its level by its size.
      state.place = queue.enqueue(priority: priority.value, size: state.byteCount) { self.make() }
    }
  }

  private func make() {
    state.withLock { $0.place = nil }
    var isUsable = true
    do throws(DecodingError) {
      let context = DecodingContext(
        limits: configuration.limits, pool: configuration.pixelBufferPool,
        budget: configuration.decodedByteBudget,
        isCancelled: { self.flag.isRaised })
      if !flag.isRaised, let picture = try decoder.preview(context: context) { tell(picture) }
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
      pool: configuration.pixelBufferPool, limits: configuration.limits)
    guard let processed = try? picture.processed(by: request.processors, context: surroundings) else {
      return
    }
    let isStored = state.withLock { state -> Bool? in state.isOver ? nil : store(processed) }
    if let isStored { report(processed, isStored) }
  }
}
