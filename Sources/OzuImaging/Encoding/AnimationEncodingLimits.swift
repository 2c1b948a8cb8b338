/// What writing one animation may take.
public struct AnimationEncodingLimits: Hashable, Sendable {
  /// The most frames. 16,384 by default, as many as are played by default. Protects time.
  public var frameCount: Int
  /// The most bytes of the file, which is held in memory. 100 MB by default, as much as is read by default.
  /// `EncodingOptions.maximumByteCount` may ask for fewer.
  public var encodedByteCount: Int

  /// Makes limits; what is not given has its default.
  public init(frameCount: Int = 16_384, encodedByteCount: Int = 100 << 20) {
    self.frameCount = frameCount
    self.encodedByteCount = encodedByteCount
  }

  /// The defaults.
  public static let `default` = AnimationEncodingLimits()
}
