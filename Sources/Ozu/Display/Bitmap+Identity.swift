extension Bitmap {
  /// Whether two bitmaps share their memory. Then there is nothing new to show.
  func sharesPixels(with other: Bitmap) -> Bool {
    size == other.size
      && withUnsafeBytes { own in other.withUnsafeBytes { own.baseAddress == $0.baseAddress } }
  }
}
