/// Finds the lowest quality at which a file reaches a score, in at most four tries.
///
/// A value without pictures: it names the next try, and is told the score of it. Scores grow almost evenly with the
/// quality on a scale of usual photographs, so the first step follows that scale, and later ones the line through the two
/// tries around the target, or the last two. A line that leads to the end of the scale ends there at the score of the scale.
///
/// If the choice of chroma is left to it, tries begin with a quarter of the colour detail. When more quality gains
/// little, or would have to be very high, colour is what is missing, and all of it is kept.
struct ScoreSearch {
  /// A quality and chroma to try.
  struct Attempt: Hashable {
    var quality: Double
    var chroma: ChromaSubsampling
  }

  static let mostTries = 4
  /// How far above the target a score may be.
  static let tolerance = 1.5
  /// How far below the target a score may be: nobody sees so little.
  static let slack = 0.5
  /// From this quality on, all of the colour detail is kept.
  private static let fullChromaQuality = 0.9
  /// The quality before the step that the scale has there for formats without a choice of chroma.
  private static let qualityBeforeStep = 0.89
  /// Below this target qualities near 1 are tried before 1: that of JPEG XL has up to ten points more than the next one, at
  /// twice the bytes.
  private static let highestBeforeEnd = 90.0

  private struct Try {
    let attempt: Attempt
    let score: Double
    /// The quality of the attempt on the scale.
    let points: Double
  }

  private let target: Double
  private let choosesChroma: Bool
  private let heedsChroma: Bool
  private let scale: Scale
  private var tries: [Try] = []
  /// The next try, or the last one if the search has ended.
  private(set) var attempt: Attempt

  /// - Parameters:
  ///   - target: the score to reach.
  ///   - chroma: the chroma of all tries; with `automatic` the search chooses.
  ///   - heedsChroma: whether the format has a choice of chroma.
  init(target: Double, chroma: ChromaSubsampling, heedsChroma: Bool = true) {
    self.target = target
    self.heedsChroma = heedsChroma
    choosesChroma = chroma == .automatic && heedsChroma
    scale = heedsChroma ? .ofQuarterChroma : .ofAutomaticChroma
    let quality = scale.quality(of: target + Self.slack)
    attempt = Attempt(
      quality: quality,
      chroma: choosesChroma ? (quality < Self.fullChromaQuality ? .quarter : .full) : chroma)
  }

  /// Takes the score of `attempt`, and sets the next one.
  ///
  /// - Returns: whether there is a next one.
  mutating func record(_ score: Double) -> Bool {
    tries.append(Try(attempt: attempt, score: score, points: scale.points(of: attempt.quality)))
    let isReached = score >= target - Self.slack && score <= target + Self.tolerance
    guard !isReached, tries.count < Self.mostTries else { return false }
    let next = next(tries[tries.count - 1])
    guard !tries.contains(where: { $0.attempt == next }) else { return false }
    attempt = next
    return true
  }

  /// How far a score is from the target. What is missing counts twice.
  func distance(of score: Double) -> Double {
    score < target ? 2 * (target - score) : score - target
  }

  private func next(_ last: Try) -> Attempt {
    let same = tries.filter { $0.attempt.chroma == last.attempt.chroma }
    let aim = target + Self.slack
    func between(_ below: Try, _ above: Try) -> Attempt {
      var part = min(max((aim - below.score) / max(above.score - below.score, 0.1), 0.02), 0.98)
      // Where looks have a step, the line leads to the same side again and again.
      let sides = same.suffix(2).map { $0.score >= target }
      if sides == [true, true] { part /= 2 }
      if sides == [false, false] { part = (1 + part) / 2 }
      let points = below.points + (above.points - below.points) * part
      return Attempt(quality: scale.quality(of: points), chroma: last.attempt.chroma)
    }
    let below = same.filter { $0.score < target }.max { $0.points < $1.points }
    let above = same.filter { $0.score >= target }.min { $0.points < $1.points }
    if let below, let above, below.points < above.points { return between(below, above) }
    var slope = 1.0
    if same.count > 1 {
      let before = same[same.count - 2]
      let step = last.points - before.points
      if step != 0 { slope = (last.score - before.score) / step }
    }
    var quality = scale.quality(of: last.points + (aim - last.score) / min(max(slope, 0.2), 3))
    // A line that begins well below the step of the scale and leads over it ends far above the target: first the side
    // before the step is tried. Near the step there is too little to learn from it.
    let beforeStep = scale.points(of: Self.qualityBeforeStep)
    if !heedsChroma, last.points <= beforeStep - 5 {
      quality = min(quality, Self.qualityBeforeStep)
    } else if !heedsChroma || last.attempt.chroma == .full, quality >= 1, target < Self.highestBeforeEnd {
      // The scores of detailed pictures climb steeply before the end. A try there would tell only that they do.
      let points = scale.points(of: 1)
      let end = Attempt(quality: 1, chroma: last.attempt.chroma)
      return between(last, Try(attempt: end, score: points, points: points))
    }
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
  /// The scores of usual photographs by quality, in steps that are straight between: the means of `ozu compare` over 19
  /// photographs of 480 pixels.
  private struct Scale {
    let steps: [(quality: Double, points: Double)]

    /// JPEG with a quarter of its chroma at every quality.
    static let ofQuarterChroma = Scale(
      steps: common + [(0.9, 85.8), (0.95, 89.4), (1, 92.5)])
    /// JPEG with all of its chroma from 0.9 on, whose looks the qualities of other formats have.
    static let ofAutomaticChroma = Scale(
      steps: common + [(0.89, 85.2), (0.9, 89.1), (0.95, 92.7), (1, 96.3)])
    private static let common: [(quality: Double, points: Double)] = [
      (0, -59), (0.1, 7), (0.2, 40.5), (0.3, 54.5), (0.5, 67.4), (0.7, 75.7), (0.8, 80.4), (0.85, 83.1),
    ]

    /// The score that a quality has for a usual photograph.
    func points(of quality: Double) -> Double { interpolated(quality, from: \.quality, to: \.points) }

    /// The quality with this score for a usual photograph, from 0 to 1.
    func quality(of points: Double) -> Double { interpolated(points, from: \.points, to: \.quality) }

    private typealias Column = KeyPath<(quality: Double, points: Double), Double>

    private func interpolated(_ value: Double, from: Column, to: Column) -> Double {
      guard value < steps[steps.count - 1][keyPath: from] else { return steps[steps.count - 1][keyPath: to] }
      guard let index = steps.lastIndex(where: { $0[keyPath: from] <= value }) else {
        return steps[0][keyPath: to]
      }
      let (low, high) = (steps[index], steps[index + 1])
      let part = (value - low[keyPath: from]) / (high[keyPath: from] - low[keyPath: from])
      return low[keyPath: to] + part * (high[keyPath: to] - low[keyPath: to])
    }
  }
}
