extension Bitmap {
  /// The picture for a display that shows nothing brighter than white, in the same pixel format. Tone-maps colours
  /// under PQ or HLG with numbers of ITU-T H.273; returns `self` for others.
  ///
  /// For toolkits that do not know such colours. A pipeline does the same on its own threads, with the peak that
  /// the file states; this function takes the peak of most pictures, 1,000 candelas per square metre.
  ///
  /// - Complexity: O(pixels), or O(1) for `self`.
  public func toneMapped(pool: PixelBufferPool = .shared) -> Bitmap {
    guard case .coded(let primaries, let transfer) = colorSpace,
      let range = HighDynamicRange(primaries: primaries, transfer: transfer),
      let mapping = ToneMappingStore.shared.mapping(range, peak: LightLevels.assumedPeak)
    else { return self }
    return mapping.convert(self, to: format == .rgba16 ? .rgba16 : .bgra8, pool: pool)
  }
}
