import Dispatch
import OzuSynchronization

/// The frames of an animated picture, made when they are asked for and kept under a byte budget.
///
/// Every frame is the whole picture as it is seen then: composited, at the size and with the orientation of the
/// picture it belongs to. Nothing is decoded before the first call. Frames that were made wait in a cache for the
/// next round, as many as the budget holds beside the canvas; a player that goes through the frames in order
/// decodes each once a round.
///
/// One lock guards canvas and cache, and is held while a frame is made: whoever asks at the same time waits, and
/// then usually finds the frame.
public final class PictureAnimation: Sendable {
  private struct State: Sendable {
    var composer: FrameComposer
    var cache: FrameCache
  }

  /// Turns a canvas into what is shown.
  typealias Finishing = @Sendable (Bitmap, DecodingContext) throws(DecodingError) -> Bitmap

  /// How often the animation is to be played; 0 for ever.
  public let loopCount: Int
  /// How long each frame is seen, as stored. Players take less than 20 ms for 100 ms, as browsers do.
  public let delays: [Duration]
  /// What the frames in memory may take in all, in bytes.
  public let byteBudget: Int

  /// What the animation holds at most: its file, and frames under the budget.
  let largestByteCount: Int

  private let state: Mutex<State>
  private let finish: Finishing
  private let limits: DecodingLimits
  private let pool: PixelBufferPool
  private let colorPolicy: ColorPolicy
  private let budget: DecodedByteBudget
  /// About what a reader keeps of each frame while none is decoded.
  private static let tableBytesPerFrame = 256
  /// What making one frame takes at the worst, in bytes.
  package let workingByteCount: Int
  private let queue = DispatchQueue(label: "ozu.animation")

  init(
    _ composer: FrameComposer, encodedByteCount: Int, frameByteCount: Int, finishingByteCount: Int,
    limits: DecodingLimits, pool: PixelBufferPool, colorPolicy: ColorPolicy,
    budget: DecodedByteBudget = .shared, finish: @escaping Finishing
  ) {
    loopCount = composer.track.loopCount
    delays = composer.track.frames.prefix(max(1, limits.frameCount)).map(\.delay)
    byteBudget = limits.animationByteCount
    self.finish = finish
    self.colorPolicy = colorPolicy
    self.budget = budget
    self.limits = limits
    self.pool = pool
    // Beside the cache there are, at the worst, the canvas that is kept, the one that is being made, the frame
    // that goes on it and the result, and what its making takes beside that.
    let canvasByteCount = PixelBufferPool.sizeClass(composer.track.canvas.bitmapByteCount(as: .bgra8))
    workingByteCount = 3 * canvasByteCount + frameByteCount + finishingByteCount
    largestByteCount =
      encodedByteCount + delays.count * Self.tableBytesPerFrame
      + min(limits.animationByteCount, 3 * canvasByteCount + delays.count * frameByteCount)
    let cacheByteCount = limits.animationByteCount - workingByteCount
    state = Mutex(
      State(
        composer: composer,
        cache: FrameCache(byteLimit: max(0, cacheByteCount))))
  }

  /// The number of frames; at least two.
  public var frameCount: Int { delays.count }

  /// How long the frames take together.
  public var duration: Duration { delays.reduce(.zero, +) }

  /// The frame at a place, made now unless it is at hand.
  ///
  /// Takes as long as decoding does, on the calling thread. From `async` code, use the form that awaits.
  ///
  /// - Precondition: `index` is in `0..<frameCount`.
  /// - Throws: `DecodingError`. A frame that is broken does not keep others from being shown.
  /// - Complexity: O(1) when the frame is at hand; one frame in order; as many as lie between otherwise.
  public func frame(at index: Int) throws(DecodingError) -> Bitmap {
    try frame(at: index, isCancelled: { false })
  }

  /// The frame at a place, made on a thread of its own unless it is at hand.
  ///
  /// - Precondition: `index` is in `0..<frameCount`.
  /// - Throws: `DecodingError`; `cancelled` when the task is.
  public func frame(at index: Int) async throws(DecodingError) -> Bitmap {
    let request = AnimationFrameRequest()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async {
          let result = Result { () throws(DecodingError) -> Bitmap in
            try self.frame(at: index, isCancelled: { request.isCancelled })
          }
          request.finish(result)
          continuation.resume()
        }
      }
    } onCancel: {
      request.cancel()
    }
    return try request.result.get()
  }

  /// Gives back the memory of all frames; the next call decodes again.
  public func releaseFrames() {
    state.withLock {
      $0.cache.removeAll()
      $0.composer.reset()
    }
  }

  /// - Parameter keepsFrame: whether the frame waits in the cache for the next round. An encoder has only one round, and
  ///   would fill the cache for nobody.
  package func frame(
    at index: Int, keepsFrame: Bool = true, isCancelled: @escaping () -> Bool
  ) throws(DecodingError) -> Bitmap {
    precondition(delays.indices.contains(index), "there is no such frame")
    let result = state.withLock { state -> Result<Bitmap, DecodingError> in
      Result { () throws(DecodingError) -> Bitmap in
        if let frame = state.cache[index] { return frame }
        let context = DecodingContext(
          limits: limits, pool: pool, colorPolicy: colorPolicy, budget: budget, isCancelled: isCancelled)
        // A frame whose steps take more than the budget together still has its turn, alone.
        let reservation = try context.reserve(min(workingByteCount, budget.byteLimit))
        defer { withExtendedLifetime(reservation) {} }
        let canvas = try state.composer.compose(index, context: context)
        let frame = try finish(canvas.bitmap, context)
        if keepsFrame { state.cache.insert(frame, at: index) }
        return frame
      }
    }
    return try result.get()
  }
}

/// A frame that a task waits for. The result goes through a lock, because the thread sanitizer does not see what a
/// continuation hands over that is resumed before anybody waits for it.
private final class AnimationFrameRequest: Sendable {
  private struct State {
    var isCancelled = false
    var result = Result<Bitmap, DecodingError>.failure(.cancelled)
  }

  private let state = Mutex(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  func cancel() { state.withLock { $0.isCancelled = true } }

  /// What became of it, once it is finished.
  var result: Result<Bitmap, DecodingError> { state.withLock { $0.result } }
  func finish(_ result: Result<Bitmap, DecodingError>) { state.withLock { $0.result = result } }
}
