/// The rows of one component of a picture, read from top to bottom: of a `SamplePlane`, which has them all, or of a
/// picture whose rows are made when they are asked for and forgotten behind the filter.
protocol SampleRowSource: AnyObject {
  /// How far the picture reaches to the right, in samples.
  var extentWidth: Double { get }
  /// How far the picture reaches down, in samples.
  var extentHeight: Double { get }
  /// How much fine detail the resampler has to strengthen.
  var lift: DetailLift { get }

  /// The samples of a row, `extentWidth` rounded up to a multiple of 8. They stay where they are until `discard(before:)`
  /// passes the row.
  ///
  /// - Precondition: the row is in `0..<extentHeight`, and not discarded.
  func row(_ index: Int) -> UnsafePointer<Int16>

  /// Says that the rows above one are asked for no more.
  func discard(before index: Int)
}

extension SamplePlane: SampleRowSource {
  func row(_ index: Int) -> UnsafePointer<Int16> {
    precondition(index >= 0 && index < rowCount, "row outside the plane")
    return UnsafePointer(samples.baseAddress! + index * samplesPerRow)
  }

  func discard(before index: Int) {}
}
