/// One component of a picture, such as its luma: decoders write it and the resampler reads it, before there are any
/// pixels.
///
/// Samples are 16-bit integers with `fractionBits` fractional bits: black is 0, white 255 × 64. A reduced decode
/// has these fractional bits, and bytes would round them away.
///
/// The component may be coarser than the picture, and its stored samples may extend beyond it, because decoders pad
/// to whole blocks. `extentWidth` and `extentHeight` are the exact size of the picture in samples: 4001 pixels are
/// 500.125 samples at one eighth, and scaling 501 samples to the result would shift its right side.
///
/// A class, because it owns memory that is written piece by piece; not `Sendable`, so it stays on the thread that
/// decodes.
package final class SamplePlane {
  /// The fractional bits of a sample.
  package static let fractionBits = 6

  /// The width of the picture, in samples.
  package let extentWidth: Double
  /// The height of the picture, in samples.
  package let extentHeight: Double
  /// The distance between rows in samples; a multiple of 8.
  package let samplesPerRow: Int
  package let rowCount: Int
  /// How much fine detail the resampler has to strengthen.
  package let lift: DetailLift
  /// The samples: `rowCount` rows of `samplesPerRow`. All zero at first, unless `isZero` was `false`.
  package let samples: UnsafeMutableBufferPointer<Int16>

  private let memory: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool

  /// Takes memory for a plane.
  ///
  /// - Parameters:
  ///   - columnCount: the number of samples in a row that will be written.
  ///   - rowCount: the number of rows.
  ///   - extentWidth: the width of the picture in samples; positive, at most `columnCount`.
  ///   - extentHeight: its height in samples; positive, at most `rowCount`.
  ///   - lift: how much fine detail the resampler has to strengthen; none by default.
  ///   - isZero: whether all samples are 0. Otherwise they are what the memory had, and the owner sets them before others
  ///     read them.
  ///   - pool: the pool that the memory comes from.
  package init(
    columnCount: Int, rowCount: Int, extentWidth: Double, extentHeight: Double, lift: DetailLift = .none,
    isZero: Bool = true, pool: PixelBufferPool = .shared
  ) {
    precondition(extentWidth > 0 && extentWidth <= Double(columnCount), "a plane covers its extent")
    precondition(extentHeight > 0 && extentHeight <= Double(rowCount), "a plane covers its extent")
    self.extentWidth = extentWidth
    self.extentHeight = extentHeight
    self.rowCount = rowCount
    self.lift = lift
    samplesPerRow = (columnCount + 7) & ~7
    self.pool = pool
    let count = samplesPerRow * rowCount
    memory = pool.takeBlock(byteCount: count * 2)
    let all = memory.bindMemory(to: Int16.self)
    samples = UnsafeMutableBufferPointer(rebasing: all[..<count])
    if isZero { samples.initialize(repeating: 0) }
  }

  deinit {
    pool.giveBack(memory)
  }

  /// Calls a closure with the samples of a row for reading and writing; they are valid only during the call.
  ///
  /// - Precondition: `index` is in `0..<rowCount`.
  package func withRow<Result, Failure: Error>(
    _ index: Int, _ body: (inout MutableSpan<Int16>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(index >= 0 && index < rowCount, "row outside the plane")
    // `samples` has `rowCount` rows of this length.
    let row = UnsafeMutableBufferPointer(
      rebasing: samples[index * samplesPerRow..<(index + 1) * samplesPerRow])
    var span = row.mutableSpan
    return try body(&span)
  }

  /// The bytes that a plane takes, without the rounding of the pool.
  package static func byteCount(columnCount: Int, rowCount: Int) -> Int {
    ((columnCount + 7) & ~7) * rowCount * 2
  }
}

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
