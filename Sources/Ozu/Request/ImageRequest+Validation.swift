extension ImageRequest {
  /// The longest side that may be asked for, in pixels.
  static let maximumSide = 1 << 20

  /// Refuses what no source can answer.
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
