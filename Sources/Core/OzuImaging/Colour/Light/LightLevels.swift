/// How bright a picture of high dynamic range is, as its file declares it: the content light levels (CTA-861.3) and
/// the peak of the mastering display (SMPTE ST 2086). In candelas per square metre.
public struct LightLevels: Hashable, Sendable {
  /// The brightest pixel (MaxCLL); `nil` if the file does not declare it, or declares 0.
  public var maximumContent: Double?
  /// The brightest mean of a frame (MaxFALL).
  public var maximumAverage: Double?
  /// The peak of the mastering display.
  public var masteringPeak: Double?
  /// The least light of that display; `nil` (the default) if the file does not declare it.
  public var masteringMinimum: Double?
  /// Its primaries and white; `nil` (the default) if the file does not declare them.
  public var masteringGamut: Chromaticities?

  /// Makes levels.
  public init(maximumContent: Double? = nil, maximumAverage: Double? = nil, masteringPeak: Double? = nil) {
    self.maximumContent = maximumContent
    self.maximumAverage = maximumAverage
    self.masteringPeak = masteringPeak
  }

  /// The range of peaks that tone mapping uses: from white, below which nothing needs compression, to the end of the
  /// PQ curve.
  static let sanePeaks = ToneMapping.white...PerceptualQuantizer.peak

  /// The peak of a PQ picture that does not declare one. Most are graded on displays of 1,000 candelas per square
  /// metre (BT.2408 §2); brighter pixels become white.
  static let assumedPeak = 1000.0

  /// The peak that tone mapping uses, and notes about values that were ignored.
  ///
  /// A level below white counts as white: the picture then has no highlights. Zero means that a level is unknown.
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
