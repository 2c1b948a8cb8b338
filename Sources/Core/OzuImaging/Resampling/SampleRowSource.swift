/// The rows of one component of a picture, read from top to bottom: of a `SamplePlane`, which has all of them, or
/// of a picture whose rows are made on demand and freed after the filter has passed.
protocol SampleRowSource: AnyObject {
  /// The width of the picture, in samples.
  var extentWidth: Double { get }
  /// The height of the picture, in samples.
  var extentHeight: Double { get }
  /// How much fine detail the resampler has to strengthen.
  var lift: DetailLift { get }

  /// The samples of a row, with `extentWidth` rounded up to a multiple of 8. The pointer is valid until the row is
  /// discarded.
  ///
  /// - Precondition: the row is in `0..<extentHeight`, and not discarded.
  func row(_ index: Int) -> UnsafePointer<Int16>

  /// Says that the rows above a row are not needed any more.
  func discard(before index: Int)
}

extension SamplePlane: SampleRowSource {
  func row(_ index: Int) -> UnsafePointer<Int16> {
    precondition(index >= 0 && index < rowCount, "row outside the plane")
    return UnsafePointer(samples.baseAddress! + index * samplesPerRow)
  }

  func discard(before index: Int) {}
}
