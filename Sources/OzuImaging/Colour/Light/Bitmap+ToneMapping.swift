extension Bitmap {
  /// The picture for a display that has nothing brighter than white, in its format: tone-mapped where its colours are kept under
  /// PQ or HLG by numbers of ITU-T H.273, `self` otherwise.
  ///
  /// For toolkits that have no name for such colours. A pipeline does it on its own threads, from the peak that the file states;
  /// here the peak is that of most pictures, 1,000 candelas per square metre.
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
