/// The limits of writing one animation.
public struct AnimationEncodingLimits: Hashable, Sendable {
  /// The most frames. 16,384 by default, as many as are played by default. Protects time.
  public var frameCount: Int
  /// The most bytes of the file, which is held in memory. 100 MB by default, the default limit for reading too.
  /// `EncodingOptions.maximumByteCount` can set a lower limit.
  public var encodedByteCount: Int

  /// Makes limits; an argument that is left out has its default.
  public init(frameCount: Int = 16_384, encodedByteCount: Int = 100 << 20) {
    self.frameCount = frameCount
    self.encodedByteCount = encodedByteCount
  }

  /// The defaults.
  public static let `default` = AnimationEncodingLimits()
}
