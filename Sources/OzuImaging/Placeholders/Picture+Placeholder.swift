extension Picture {
  /// A picture to show until the real one is loaded. Takes less than a millisecond.
  ///
  /// - Parameter size: a small size in pixels, because the view enlarges the picture.
  public init(placeholder hash: BlurHash, size: PixelSize = PixelSize(width: 32, height: 32)) {
    self.init(hash.bitmap(size: size), isPreview: true)
  }

  /// A picture to show until the real one is loaded, 32 pixels on its longer side. Takes less than a millisecond.
  public init(placeholder hash: ThumbHash) {
    self.init(hash.bitmap(), isPreview: true)
  }
}
