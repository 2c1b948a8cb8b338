/// How much fine detail a reduced plane lacks compared with a full decode, or has too much of. The resampler
/// compensates for it in its filter weights, at no cost.
///
/// A wave of `w` radians per sample is multiplied by `1 + lift * w²`. This is exact to the second order, which is
/// enough for the waves that a reduction leaves.
package struct DetailLift: Hashable, Sendable {
  /// Along rows.
  package var horizontal: Double
  /// Along columns.
  package var vertical: Double

  package init(horizontal: Double, vertical: Double) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// No compensation.
  package static let none = DetailLift(horizontal: 0, vertical: 0)

  /// The loss of a mean of `columns` × `rows` samples. The mean of n cosines is `1 - (1 - 1/n²) w² / 24` times the
  /// middle one, `w` in radians per mean.
  package static func mean(columns: Int, rows: Int) -> DetailLift {
    func lift(_ count: Int) -> Double { (1 - 1 / Double(count * count)) / 24 }
    return DetailLift(horizontal: lift(columns), vertical: lift(rows))
  }

  /// The loss in a full decode of chroma that has half the resolution of luma, when it is enlarged to the
  /// resolution of luma: each new sample is three parts of the nearest and one part of the next, which leaves `1 -
  /// 3/32 w²` of a wave.
  ///
  /// - Parameters:
  ///   - step: how many pixels a chroma sample covers; only a step of 2 has an effect.
  ///   - samples: how many samples of the file one sample of the plane covers.
  package static func upsampling(
    _ step: PlaneLayout.ChromaStep, samples: (columns: Double, rows: Double)
  ) -> DetailLift {
    func lift(_ step: Int, _ samples: Double) -> Double { step == 2 ? -3 / (32 * samples * samples) : 0 }
    return DetailLift(
      horizontal: lift(step.horizontal, samples.columns), vertical: lift(step.vertical, samples.rows))
  }

  /// The sum of both: one loss after the other.
  package static func + (a: DetailLift, b: DetailLift) -> DetailLift {
    DetailLift(horizontal: a.horizontal + b.horizontal, vertical: a.vertical + b.vertical)
  }
}
