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
  /// The most processor time for all frames together: for decoding them in this process, for processors, and for
  /// encoding. A minute by default.
  public var cpuTime: Duration
  /// The most bytes of the file, which is held in memory. 100 MB by default, the default limit for reading too.
  /// `EncodingOptions.maximumByteCount` can set a lower limit.
  public var encodedByteCount: Int

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
