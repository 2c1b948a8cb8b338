/// One component of a picture, such as its luma, in memory of its own: what a decoder writes and the resampler
/// reads when a picture is not made of pixels yet.
///
/// Samples are 16-bit integers with `fractionBits` bits behind the point: black is 0, white 255 × 64. The bits
/// behind the point are those that a reduced decode has and bytes would round away.
///
/// The component may be coarser than the picture, and its stored samples may reach beyond it: a decoder pads
/// to whole blocks. `extentWidth` and `extentHeight` say how far the picture reaches, to a fraction of a
/// sample: 4001 pixels are 500.125 samples at an eighth, and stretching 501 over the result would shift its
/// right side.
///
/// A class, because it owns memory that its maker writes piece by piece; not `Sendable`, so it stays with the
/// thread that decodes.
public final class SamplePlane {
  /// The bits behind the point of a sample.
  public static let fractionBits = 6

  /// How far the picture reaches to the right, in samples.
  public let extentWidth: Double
  /// How far the picture reaches down, in samples.
  public let extentHeight: Double
  /// The distance of the rows in samples; a multiple of 8.
  public let samplesPerRow: Int
  /// The number of rows.
  public let rowCount: Int
  /// How much fine detail the resampler has to strengthen.
  public let lift: DetailLift
  /// The samples: `rowCount` rows of `samplesPerRow`. All zero at first. Others than the decoders of this package see
  /// them through `withRow`.
  package let samples: UnsafeMutableBufferPointer<Int16>

  private let memory: UnsafeMutableRawBufferPointer
  private let pool: PixelBufferPool

  /// Takes memory for a plane.
  ///
  /// - Parameters:
  ///   - columnCount: the samples of a row that will be written.
  ///   - rowCount: the rows.
  ///   - extentWidth: how far the picture reaches to the right; positive, at most `columnCount`.
  ///   - extentHeight: how far it reaches down; positive, at most `rowCount`.
  ///   - lift: how much fine detail the resampler has to strengthen; none by default.
  ///   - pool: where the memory comes from.
  public init(
    columnCount: Int, rowCount: Int, extentWidth: Double, extentHeight: Double, lift: DetailLift = .none,
    pool: PixelBufferPool = .shared
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
    samples.initialize(repeating: 0)
  }

  deinit {
    pool.giveBack(memory)
  }

  /// Calls a closure with the samples of a row, to read and to write, valid during the call only.
  ///
  /// - Precondition: `index` is in `0..<rowCount`.
  public func withRow<Result, Failure: Error>(
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
  public static func byteCount(columnCount: Int, rowCount: Int) -> Int {
    ((columnCount + 7) & ~7) * rowCount * 2
  }
}
