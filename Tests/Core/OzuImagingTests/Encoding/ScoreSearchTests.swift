import Foundation
import Testing

@testable import OzuImaging

@Suite("The search for a score")
struct ScoreSearchTests {
  /// A kind of picture: its score at a quality with all of its colour, and the most that a quarter of the colour allows.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let colorLimit: Double
    let score: @Sendable (Double) -> Double

    func score(_ attempt: ScoreSearch.Attempt) -> Double {
      let score = score(attempt.quality)
      return attempt.chroma == .full ? score : min(score, colorLimit) + max(0, score - colorLimit) / 20
    }
  }

  /// The curves are near those of `ozu compare` for JPEG.
  static let kinds = [
    Kind(testDescription: "a photograph", colorLimit: 200) { 92.5 * pow($0, 0.43) },
    Kind(testDescription: "detail", colorLimit: 200) { 92.5 * pow($0, 0.6) - 6 },
    Kind(testDescription: "a smooth picture", colorLimit: 200) { 60 + 36 * $0 },
    Kind(testDescription: "red letters", colorLimit: 55) { 92.5 * pow($0, 0.43) },
  ]

  @Test("ends within the tolerance in four tries", arguments: kinds, [50.0, 65, 75, 85])
  func ends(kind: Kind, target: Double) throws {
    var search = ScoreSearch(target: target, chroma: .automatic)
    var scores: [Double] = []
    repeat {
      scores.append(kind.score(search.attempt))
    } while search.record(scores[scores.count - 1])
    #expect(scores.count <= ScoreSearch.mostTries)
    // What the picture allows may be above the target at every quality, or below.
    let (least, most) = (kind.score(0), kind.score(1))
    let reached = try #require(scores.min { search.distance(of: $0) < search.distance(of: $1) })
    if least < target, most >= target {
      // Where colour was missing, a try was spent to find it out.
      let tolerance = target > kind.colorLimit ? 4 : ScoreSearch.tolerance
      #expect(reached >= target - ScoreSearch.slack && reached <= target + tolerance)
    }
    if target > kind.colorLimit { #expect(search.attempt.chroma == .full) }
  }

  @Test(
    "a format without a choice of chroma ends near a target at a step of its looks",
    arguments: [70.0, 76, 80, 84])
  func step(target: Double) {
    var search = ScoreSearch(target: target, chroma: .automatic, heedsChroma: false)
    var nearest = -Double.infinity
    var score = 0.0
    repeat {
      let quality = search.attempt.quality
      score = quality < 0.89 ? 30 + 50 * quality : min(74.5 + (quality - 0.89) * 1500, 89)
      if search.distance(of: score) < search.distance(of: nearest) { nearest = score }
    } while search.record(score)
    #expect(abs(nearest - target) <= 2 * ScoreSearch.tolerance)
  }

  /// A red bowl as WebP: 52 points at quality 0.695, where the scale has 75.
  @Test("a picture far below the scale ends before the step", arguments: [72.0, 75, 79])
  func beforeStep(target: Double) {
    var search = ScoreSearch(target: target, chroma: .automatic, heedsChroma: false)
    var nearest = -Double.infinity
    var score = 0.0
    repeat {
      let quality = search.attempt.quality
      score = quality <= 0.89 ? 52 + (quality - 0.695) * 153 : min(81.8 + (quality - 0.89) * 590, 88)
      if search.distance(of: score) < search.distance(of: nearest) { nearest = score }
    } while search.record(score)
    #expect(nearest >= target - ScoreSearch.slack && nearest <= target + ScoreSearch.tolerance)
  }

  /// A small photograph with much detail as JPEG XL, and a JPEG that is near it: half of the points lie above quality 0.89.
  @Test(
    "the steep end of a scale is not jumped over", arguments: [70.0, 75],
    [ChromaSubsampling.automatic, .full])
  func steepEnd(target: Double, chroma: ChromaSubsampling) {
    var search = ScoreSearch(target: target, chroma: chroma, heedsChroma: chroma == .full)
    var nearest = -Double.infinity
    var score = 0.0
    repeat {
      let quality = search.attempt.quality
      score = 35 + 18.8 * min(quality, 0.89) + max(0, min(quality, 0.98) - 0.89) * 300
      score += max(0, quality - 0.98) * 915
      if search.distance(of: score) < search.distance(of: nearest) { nearest = score }
    } while search.record(score)
    #expect(nearest >= target - ScoreSearch.slack && nearest <= target + ScoreSearch.tolerance)
  }

  @Test("a chroma that is given is kept", arguments: [ChromaSubsampling.full, .half, .quarter])
  func chroma(_ chroma: ChromaSubsampling) {
    var search = ScoreSearch(target: 90, chroma: chroma)
    var isSame = search.attempt.chroma == chroma
    while search.record(40) { isSame = isSame && search.attempt.chroma == chroma }
    #expect(isSame)
    #expect(search.attempt.quality == 1)
  }
}
