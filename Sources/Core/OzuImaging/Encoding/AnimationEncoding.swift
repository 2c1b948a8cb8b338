import OzuBase

/// Writes animations of one image format.
public protocol AnimationEncoding: Sendable {
  /// The format this encoder writes.
  var type: ImageType { get }

  /// Whether transparency is kept. In GIF, a pixel is either wholly transparent or opaque.
  var keepsAlpha: Bool { get }

  /// Begins a file.
  ///
  /// - Parameters:
  ///   - canvas: the size of every frame, in pixels.
  ///   - loopCount: how many times the animation is played; 0 means without end.
  ///   - options: how frames are written. `maximumByteCount` is checked by `CodecRegistry.encode`, not by the
  ///     writer.
  /// - Throws: `tooLarge` for a canvas that is empty or too large for the format; `failed` if memory is short.
  func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(ImageEncodingError) -> any AnimationWriting
}

/// The limits of writing one animation.
public struct AnimationEncodingLimits: Hashable, Sendable {
  /// The most frames. 16,384 by default, as many as are played by default. Protects time.
  public var frameCount: Int
  /// The most pixels of all frames together, at the size of the source or of the file, whichever is larger. 4,096 million
  /// by default: 2,000 frames of two megapixels. Protects time.
  public var pixelCount: Int
  /// The most processor time for all frames together: for decoding them, here or in isolation, for processors, and for
  /// encoding. A minute by default.
  public var cpuTime: Duration
  /// The most bytes of the file, which is held in memory. 100 MB by default, the default limit for reading too.
  /// `EncodingOptions.maximumByteCount` can set a lower limit.
  public var encodedByteCount: Int
  /// The part of `cpuTime` that was used before the first frame is written.
  package var usedTime = Duration.zero

  /// Makes limits; an argument that is left out has its default.
  public init(
    frameCount: Int = 16_384, encodedByteCount: Int = 100 << 20, pixelCount: Int = 4_096_000_000,
    cpuTime: Duration = .seconds(60)
  ) {
    self.frameCount = frameCount
    self.pixelCount = pixelCount
    self.cpuTime = cpuTime
    self.encodedByteCount = encodedByteCount
  }

  /// The defaults.
  public static let `default` = AnimationEncodingLimits()

  /// The defaults, or more if the limits of one picture are higher than theirs.
  package init(_ limits: DecodingLimits) {
    self.init(
      frameCount: max(Self.default.frameCount, limits.frameCount),
      pixelCount: max(Self.default.pixelCount, limits.pixelCount.saturatingProduct(32)),
      cpuTime: max(Self.default.cpuTime, min(limits.cpuTime, AnimationTrack.longestDelay) * 6))
  }
}

/// An animation that is being written, frame by frame.
///
/// Frames are whole canvases, in the order in which they are shown. The writer finds the changed area itself, and
/// holds at most two canvases and the bytes that it has written. Calls come one at a time, from any thread.
public protocol AnimationWriting: AnyObject {
  /// The bytes of the file so far, if the writer knows them: libwebp counts only at the end.
  var byteCount: Int { get }

  /// Adds a frame. If it looks like the frame before it, the writer may show that frame longer instead.
  ///
  /// - Parameters:
  ///   - frame: a bitmap with the size of the canvas, in any format.
  ///   - duration: how long the frame is shown. It is rounded to the units of the format so that the sum does not
  ///     drift, and limited to the longest time that the format can store. A negative duration counts as zero.
  /// - Throws: `failed`, also for a frame of another size and after `finish`. The writer must not be used after
  ///   that.
  func append(_ frame: Bitmap, duration: Duration) throws(ImageEncodingError)

  /// Ends the file and returns it.
  ///
  /// - Throws: `failed`, also without frames and for a second call.
  func finish() throws(ImageEncodingError) -> Data
}

/// Checks the calls of an animation writer, because apps can call it: the size of frames, and their order.
package struct FrameAdmission {
  /// The format that is written, for errors.
  package let type: ImageType
  /// The size of every frame.
  package let canvas: PixelSize
  package private(set) var frameCount = 0
  private var isFinished = false

  /// - Throws: `tooLarge` for a canvas without pixels, or with a side over `sideLimit`.
  package init(_ type: ImageType, canvas: PixelSize, sideLimit: Int) throws(ImageEncodingError) {
    guard !canvas.isEmpty, max(canvas.width, canvas.height) <= sideLimit else {
      throw .tooLarge(type, canvas)
    }
    self.type = type
    self.canvas = canvas
  }

  /// Counts a frame.
  ///
  /// - Throws: `failed` for a frame that does not have the size of the canvas, or that comes after the end.
  package mutating func admit(_ frame: Bitmap) throws(ImageEncodingError) {
    guard !isFinished else { throw .failed(type, reason: "a frame after the end of the animation") }
    guard frame.size == canvas else {
      throw .failed(type, reason: "frame \(frameCount) has \(frame.size) pixels instead of \(canvas)")
    }
    frameCount += 1
  }

  /// Ends the animation without a file: for a writer that has failed in the middle of a frame.
  package mutating func close() { isFinished = true }

  /// Ends the animation.
  ///
  /// - Throws: `failed` without frames, or the second time.
  package mutating func finish() throws(ImageEncodingError) {
    guard !isFinished else { throw .failed(type, reason: "the animation is finished") }
    isFinished = true
    guard frameCount > 0 else { throw .failed(type, reason: "an animation without frames") }
  }
}

/// Converts the durations of frames into whole units of a format, so that their sum does not drift: the rounding
/// error of one frame is carried over to the next.
package struct FrameClock {
  /// The unit of the format.
  private let unit: Duration
  /// The least number of units that players show as stored. Browsers show shorter frames for 100 ms, so a frame
  /// that is longer than those has this many units at least, however it is rounded.
  private let playableCount: Int
  /// The most units that the format can store.
  private let limit: Int
  /// The rounding error of the frames so far, in units; between -0.5 and 0.5.
  private var owed = 0.0

  /// A clock with at most `limit` units for a frame.
  package init(unit: Duration, playableCount: Int, limit: Int) {
    (self.unit, self.playableCount, self.limit) = (unit, playableCount, limit)
  }

  /// A duration limited to the range of frames: not negative, and so short that millions of them can be added.
  package static func clamped(_ duration: Duration) -> Duration {
    min(max(.zero, duration), AnimationTrack.longestDelay)
  }

  /// Whether the format can store a duration.
  package func holds(_ duration: Duration) -> Bool { duration / unit + 0.5 < Double(limit) }

  /// The units of the next frame. Zero stays zero.
  package mutating func count(of duration: Duration) -> Int {
    guard duration > .zero else { return 0 }
    let wanted = duration / unit
    guard holds(duration) else {
      owed = 0
      return limit
    }
    let exact = wanted + owed
    let count = max(0, Int(exact.rounded()))
    let shortest = wanted > Double(playableCount - 1) ? playableCount : Int(wanted.rounded())
    if count < shortest {
      owed = 0
      return shortest
    }
    owed = exact - Double(count)
    return count
  }
}
