/// What a plane lacks of the fine detail that a full decode would show, or has in excess: how much the resampler makes
/// up for, at no cost, by its weights.
///
/// A wave of `w` radians a sample is strengthened by `1 + lift * w²`, exact to the second order, which is enough for
/// the waves that survive a reduction.
public struct DetailLift: Hashable, Sendable {
  /// Along rows.
  public var horizontal: Double
  /// Along columns.
  public var vertical: Double

  /// Makes a lift.
  public init(horizontal: Double, vertical: Double) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// Nothing to make up for.
  public static let none = DetailLift(horizontal: 0, vertical: 0)

  /// What the mean of so many samples takes away. The sum of n cosines is `1 - (1 - 1/n²) w² / 24` of what it would be
  /// if they agreed, `w` in radians a mean.
  public static func mean(columns: Int, rows: Int) -> DetailLift {
    func lift(_ count: Int) -> Double { (1 - 1 / Double(count * count)) / 24 }
    return DetailLift(horizontal: lift(columns), vertical: lift(rows))
  }

  /// What a full decode takes away from chroma that is half as fine as luma, when it makes as much of it as there is
  /// luma: each new sample is three parts of the nearest and one of the next, `1 - 3/32 w²` of a wave.
  ///
  /// - Parameters:
  ///   - step: how many pixels a chroma sample stands for; only where it is 2 does anything happen.
  ///   - samples: how many samples of the file one of the plane stands for.
  public static func upsampling(
    _ step: PlaneLayout.ChromaStep, samples: (columns: Double, rows: Double)
  ) -> DetailLift {
    func lift(_ step: Int, _ samples: Double) -> Double { step == 2 ? -3 / (32 * samples * samples) : 0 }
    return DetailLift(
      horizontal: lift(step.horizontal, samples.columns), vertical: lift(step.vertical, samples.rows))
  }

  /// One after the other.
  public static func + (a: DetailLift, b: DetailLift) -> DetailLift {
    DetailLift(horizontal: a.horizontal + b.horizontal, vertical: a.vertical + b.vertical)
  }
}
