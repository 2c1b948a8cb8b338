extension ImageRequest {
  /// The longest allowed side, in pixels.
  static let maximumSide = 1 << 20

  /// Refuses a resize that is empty or too large.
  ///
  /// - Throws: `ImageError.invalidSize`.
  func validate() throws(ImageError) {
    guard let resize = fields.resize else { return }
    for size in [resize.size, resize.region?.size ?? resize.size] {
      let isPossible = !size.isEmpty && size.width <= Self.maximumSide && size.height <= Self.maximumSide
      if !isPossible { throw .invalidSize(size, source: source.name) }
    }
  }
}
