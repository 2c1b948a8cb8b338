import Dispatch
import OzuBase

/// The frames of an animated picture, made when they are asked for and cached up to a limit in bytes.
///
/// Every frame is the whole picture at that moment: composited, with the size and the orientation of the picture
/// that it belongs to. Nothing is decoded before the first call. Finished frames stay in a cache for the next
/// round, as far as the budget allows beside the canvas. A player that asks for the frames in order decodes each
/// frame at most once in a round.
///
/// One lock guards canvas and cache, and is held while a frame is made. A second caller waits, and then usually
/// finds the frame in the cache.
public final class PictureAnimation: Sendable {
  private struct State: Sendable {
    var composer: FrameComposer
    var cache: FrameCache
  }

  /// Turns a canvas into the bitmap that is shown.
  typealias Finishing = @Sendable (Bitmap, DecodingContext) throws(ImageDecodingError) -> Bitmap

  /// How many times the animation is played; 0 means without end.
  public let loopCount: Int
  /// How long each frame is shown, as stored. Players show a frame of up to 10 ms for 100 ms, as browsers do.
  public let delays: [Duration]
  /// The most bytes that the frames in memory may take together.
  public let byteBudget: Int

  /// The most bytes that the animation holds: its file, the table of its frames, and canvases and frames within the
  /// budget.
  let largestByteCount: Int

  private let state: Mutex<State>
  private let finish: Finishing
  private let limits: DecodingLimits
  private let pool: PixelBufferPool
  private let colorPolicy: ColorPolicy
  private let alpha: Alpha
  private let budget: DecodedByteBudget
  /// Roughly the bytes that a reader keeps for each frame while no frame is decoded.
  private static let tableBytesPerFrame = 256
  /// The most bytes that making one frame takes.
  package let workingByteCount: Int
  /// The pixels of the canvas that frames are decoded to, here or in another process.
  let canvasPixelCount: Int
  /// The processor time that other processes have used for the frames so far.
  let timeElsewhere: @Sendable () -> Duration
  private let queue = DispatchQueue(label: "ozu.animation")

  /// - Parameter context: gives the limits, the memory and the colours of the frames.
  init(
    _ composer: FrameComposer, encodedByteCount: Int, frameByteCount: Int, finishingByteCount: Int,
    canvasPixelCount: Int? = nil, timeElsewhere: @escaping @Sendable () -> Duration = { .zero },
    context: DecodingContext, finish: @escaping Finishing
  ) {
    let limits = context.limits
    self.canvasPixelCount = canvasPixelCount ?? composer.track.canvas.pixelCount
    self.timeElsewhere = timeElsewhere
    loopCount = composer.track.loopCount
    delays = composer.track.frames.prefix(max(1, limits.frameCount)).map(\.delay)
    byteBudget = limits.animationByteCount
    self.finish = finish
    self.limits = limits
    pool = context.pool
    colorPolicy = context.colorPolicy
    alpha = context.alpha
    budget = context.budget
    // Beside the cache there are at most: the canvas that is kept, the canvas that is being painted, the frame, the
    // result, and the memory that finishing the result takes.
    let canvasByteCount = PixelBufferPool.sizeClass(composer.track.canvas.bitmapByteCount(as: .bgra8))
    let canvases = 3.saturatingProduct(canvasByteCount)
    workingByteCount = canvases.saturatingSum(frameByteCount).saturatingSum(finishingByteCount)
    let frames = canvases.saturatingSum(delays.count.saturatingProduct(frameByteCount))
    largestByteCount = encodedByteCount.saturatingSum(delays.count * Self.tableBytesPerFrame)
      .saturatingSum(min(limits.animationByteCount, frames))
    let cacheByteCount = limits.animationByteCount.saturatingDifference(workingByteCount)
    state = Mutex(
      State(
        composer: composer,
        cache: FrameCache(byteLimit: max(0, cacheByteCount))))
  }

  /// The number of frames; at least two.
  public var frameCount: Int { delays.count }

  /// How long the frames take together.
  public var duration: Duration { delays.reduce(.zero, +) }

  /// The frame at an index, from the cache or made now.
  ///
  /// A frame that is not in the cache is decoded on the calling thread. From `async` code, use the form that
  /// awaits.
  ///
  /// - Precondition: `index` is in `0..<frameCount`.
  /// - Throws: `ImageDecodingError`. After a broken frame, the other frames can still be shown.
  /// - Complexity: O(1) for a frame in the cache; one decode when frames are asked for in order; otherwise one
  ///   decode for each frame in between.
  public func frame(at index: Int) throws(ImageDecodingError) -> Bitmap {
    try frame(at: index, isCancelled: { false })
  }

  /// The frame at an index, from the cache or made on another thread.
  ///
  /// - Precondition: `index` is in `0..<frameCount`.
  /// - Throws: `ImageDecodingError`; `cancelled` if the task is cancelled.
  public func frame(at index: Int) async throws(ImageDecodingError) -> Bitmap {
    let isCancelled = SharedFlag()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation {
        (continuation: CheckedContinuation<Result<Bitmap, ImageDecodingError>, Never>) in
        queue.async {
          let made = Result { () throws(ImageDecodingError) -> Bitmap in
            try self.frame(at: index, isCancelled: { isCancelled.isRaised })
          }
          continuation.resume(returning: made)
        }
      }
    } onCancel: {
      isCancelled.raise()
    }
    return try result.get()
  }

  /// Gives back the memory of all frames; the next call decodes again.
  public func releaseFrames() {
    state.withLock {
      $0.cache.removeAll()
      $0.composer.reset()
    }
  }

  /// - Parameter keepsFrame: whether the frame stays in the cache for the next round. An encoder goes through the
  ///   frames only once, so caching them would be of no use.
  package func frame(
    at index: Int, keepsFrame: Bool = true, isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) -> Bitmap {
    precondition(delays.indices.contains(index), "there is no such frame")
    let result = state.withLock { state -> Result<Bitmap, ImageDecodingError> in
      Result { () throws(ImageDecodingError) -> Bitmap in
        if let frame = state.cache[index] { return frame }
        let context = DecodingContext(
          limits: limits, pool: pool, colorPolicy: colorPolicy, budget: budget, isCancelled: isCancelled
        ).storing(alpha)
        // A frame that takes more than the whole budget is still made, when nothing else is reserved.
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

extension PictureAnimation {
  /// An animation whose reader returns finished frames: each is the whole picture at the size of the result, upright
  /// and in the colours of the context.
  ///
  /// - Parameters:
  ///   - reader: gives the frames; the region of each is the whole canvas.
  ///   - size: the size of the picture that the frames belong to.
  ///   - encodedByteCount: the size of the file, which the reader holds.
  ///   - workingByteCount: the memory that one frame takes while it is made elsewhere.
  ///   - canvasPixelCount: the pixels of the canvas that frames are decoded to there.
  ///   - timeElsewhere: the processor time that was used for the frames elsewhere so far.
  /// - Returns: `nil` if the frames are not an animation of a picture of this size.
  package convenience init?(
    finished reader: any AnimationFrameReading, size: PixelSize, encodedByteCount: Int, workingByteCount: Int,
    canvasPixelCount: Int, timeElsewhere: @escaping @Sendable () -> Duration, context: DecodingContext
  ) {
    guard let composer = try? FrameComposer(reader, of: size) else { return nil }
    self.init(
      composer, encodedByteCount: encodedByteCount,
      frameByteCount: PixelBufferPool.sizeClass(size.bitmapByteCount(as: .bgra8)),
      finishingByteCount: workingByteCount, canvasPixelCount: canvasPixelCount, timeElsewhere: timeElsewhere,
      context: context
    ) { (canvas, _) throws(ImageDecodingError) in canvas }
  }
}

/// The finished frames of one animation, up to a limit in bytes.
///
/// An animation is a loop: the frame that was shown longest ago is the next one to be shown. So a full cache evicts
/// nothing and accepts nothing: in each round, the same frames are found in it.
struct FrameCache: Sendable {
  private let byteLimit: Int
  private var frames: [Int: Bitmap] = [:]
  private(set) var byteCount = 0

  init(byteLimit: Int) {
    self.byteLimit = byteLimit
  }

  subscript(index: Int) -> Bitmap? { frames[index] }

  mutating func insert(_ frame: Bitmap, at index: Int) {
    // The size that the pool lends, not the size that was asked for.
    let cost = PixelBufferPool.sizeClass(frame.byteCount)
    guard frames[index] == nil, byteCount + cost <= byteLimit else { return }
    frames[index] = frame
    byteCount += cost
  }

  mutating func removeAll() {
    frames.removeAll()
    byteCount = 0
  }
}
