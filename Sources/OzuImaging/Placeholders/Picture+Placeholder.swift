extension Picture {
  /// A picture to be shown until the real one is there. Takes less than a millisecond.
  ///
  /// - Parameter size: in pixels, small: it is made larger where it is shown.
  public init(placeholder hash: BlurHash, size: PixelSize = PixelSize(width: 32, height: 32)) {
    self.init(hash.bitmap(size: size), isPreview: true)
  }

  /// A picture to be shown until the real one is there, 32 pixels on its longer side. Takes less than a
  /// millisecond.
  public init(placeholder hash: ThumbHash) {
    self.init(hash.bitmap(), isPreview: true)
  }
}
