/// How bright a picture of high dynamic range is, as its file says it: content light levels (CTA-861.3) and the peak of the
/// display on which it was graded (SMPTE ST 2086). In candelas per square metre.
public struct LightLevels: Hashable, Sendable {
  /// The brightest pixel (MaxCLL); `nil` when the file does not say, or says 0.
  public var maximumContent: Double?
  /// The brightest mean of a frame (MaxFALL).
  public var maximumAverage: Double?
  /// The peak of the mastering display.
  public var masteringPeak: Double?
  /// The least light of that display; `nil` (the default) when the file does not say.
  public var masteringMinimum: Double?
  /// Its primaries and white; `nil` (the default) when the file does not say.
  public var masteringGamut: Chromaticities?

  /// Makes levels.
  public init(maximumContent: Double? = nil, maximumAverage: Double? = nil, masteringPeak: Double? = nil) {
    self.maximumContent = maximumContent
    self.maximumAverage = maximumAverage
    self.masteringPeak = masteringPeak
  }

  /// The peaks that are believed: from white, below which nothing is to be compressed, to the end of the PQ curve.
  static let sanePeaks = ToneMapping.white...PerceptualQuantizer.peak

  /// The peak of a picture under PQ that does not say one. Most are graded on displays of 1,000 candelas per square metre
  /// (BT.2408 §2); what is brighter becomes white.
  static let assumedPeak = 1000.0

  /// The brightest pixel that tone mapping reckons with, and notes about numbers that are not believed.
  ///
  /// A level below white is one: the picture has no highlights then. Zero means that a level is not known.
  static func peak(of levels: LightLevels?) -> (peak: Double, notes: [String]) {
    var notes: [String] = []
    let stated = [
      ("maximum content light level", levels?.maximumContent), ("mastering peak", levels?.masteringPeak),
    ]
    for (name, value) in stated {
      guard let value, value != 0 else { continue }
      if value.isFinite, value > 0, value <= sanePeaks.upperBound {
        return (max(value, sanePeaks.lowerBound), notes)
      }
      notes.append("a \(name) of \(value) cd/m² is ignored")
    }
    if levels?.maximumContent == 0 || levels?.masteringPeak == 0 {
      notes.append("a light level of 0 is ignored")
    }
    notes.append("its peak is not stated: \(Int(assumedPeak)) cd/m² are assumed")
    return (assumedPeak, notes)
  }
}
