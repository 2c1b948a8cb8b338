/// Finds the lowest quality at which a file reaches a score, in at most four tries.
///
/// A value without pictures: it names the next try, and is told the score of it. Scores grow almost evenly with the
/// quality on the scale of `points(of:)`, so the first step follows that scale, and later ones the line through the two
/// tries around the target, or the last two.
///
/// If the choice of chroma is left to it, tries begin with a quarter of the colour detail. When more quality gains
/// little, or would have to be very high, colour is what is missing, and all of it is kept.
struct ScoreSearch {
  /// A quality and chroma to try.
  struct Attempt: Hashable {
    var quality: Double
    var chroma: ChromaSubsampling
  }

  /// The most tries.
  static let mostTries = 4
  /// How far above the target a score may be.
  static let tolerance = 1.5
  /// From this quality on, all of the colour detail is kept.
  private static let fullChromaQuality = 0.9

  private struct Try {
    let attempt: Attempt
    let score: Double
    /// The quality of the attempt in points.
    var points: Double { ScoreSearch.points(of: attempt.quality) }
  }

  private let target: Double
  private let choosesChroma: Bool
  private var tries: [Try] = []
  /// The next try, or the last one if the search has ended.
  private(set) var attempt: Attempt

  /// - Parameters:
  ///   - target: the score to reach.
  ///   - chroma: the chroma of all tries; with `automatic` the search chooses.
  init(target: Double, chroma: ChromaSubsampling) {
    self.target = target
    choosesChroma = chroma == .automatic
    let quality = Self.quality(of: target + Self.tolerance / 2)
    attempt = Attempt(
      quality: quality,
      chroma: choosesChroma ? (quality < Self.fullChromaQuality ? .quarter : .full) : chroma)
  }

  /// Takes the score of `attempt`, and sets the next one.
  ///
  /// - Returns: whether there is a next one.
  mutating func record(_ score: Double) -> Bool {
    tries.append(Try(attempt: attempt, score: score))
    let isReached = score >= target && score <= target + Self.tolerance
    guard !isReached, tries.count < Self.mostTries else { return false }
    let next = next(tries[tries.count - 1])
    guard !tries.contains(where: { $0.attempt == next }) else { return false }
    attempt = next
    return true
  }

  private func next(_ last: Try) -> Attempt {
    let same = tries.filter { $0.attempt.chroma == last.attempt.chroma }
    let aim = target + Self.tolerance / 2
    let below = same.filter { $0.score < target }.max { $0.points < $1.points }
    let above = same.filter { $0.score >= target }.min { $0.points < $1.points }
    if let below, let above, below.points < above.points {
      let part = (aim - below.score) / max(above.score - below.score, 0.1)
      let points = below.points + (above.points - below.points) * min(max(part, 0.02), 0.98)
      return Attempt(quality: Self.quality(of: points), chroma: last.attempt.chroma)
    }
    var slope = 1.0
    if same.count > 1 {
      let before = same[same.count - 2]
      let step = last.points - before.points
      if step != 0 { slope = (last.score - before.score) / step }
    }
    let quality = Self.quality(of: last.points + (aim - last.score) / min(max(slope, 0.2), 3))
    // A small step tells little: the score of neighbouring qualities jumps.
    let missesColor =
      slope < 0.5 && target - last.score > Self.tolerance * 2 || quality >= Self.fullChromaQuality
    if choosesChroma, last.attempt.chroma == .quarter, missesColor, last.score < target {
      // Colour adds points of its own, so the quality need not be higher than at first.
      return Attempt(quality: same[0].attempt.quality, chroma: .full)
    }
    return Attempt(quality: quality, chroma: last.attempt.chroma)
  }
}

extension ScoreSearch {
  /// Qualities and the scores of usual photographs: those that the author of the metric gives for libjpeg-turbo.
  private static let scale: [(quality: Double, points: Double)] = [
    (0, -20), (0.12, 10), (0.2, 30), (0.35, 50), (0.7, 70), (0.85, 80), (0.9, 85), (0.95, 90), (1, 97),
  ]

  /// The score that a quality has for a usual photograph, in steps that are straight between.
  private static func points(of quality: Double) -> Double {
    interpolated(quality, from: \.quality, to: \.points)
  }

  /// The quality with this score for a usual photograph, from 0 to 1.
  private static func quality(of points: Double) -> Double {
    interpolated(points, from: \.points, to: \.quality)
  }

  private typealias Column = KeyPath<(quality: Double, points: Double), Double>

  private static func interpolated(_ value: Double, from: Column, to: Column) -> Double {
    guard let last = scale.last, value < last[keyPath: from] else {
      return scale[scale.count - 1][keyPath: to]
    }
    guard let index = scale.lastIndex(where: { $0[keyPath: from] <= value }) else {
      return scale[0][keyPath: to]
    }
    let (low, high) = (scale[index], scale[index + 1])
    let part = (value - low[keyPath: from]) / (high[keyPath: from] - low[keyPath: from])
    return low[keyPath: to] + part * (high[keyPath: to] - low[keyPath: to])
  }
}
