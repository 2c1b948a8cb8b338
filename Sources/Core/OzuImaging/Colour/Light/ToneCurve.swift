/// Maps the brightness of a picture to that of a display, by the EETF of ITU-R BT.2390-11 §5.4.1.
///
/// All values are PQ values, relative to the peak of the picture. Below a knee, at 1.5 times the display's peak
/// minus 0.5, nothing changes; above it a Hermite spline leads to the peak of the display. The black level of both
/// is 0, so the part of the EETF that lifts blacks has no effect.
struct ToneCurve: Hashable, Sendable {
  /// The brightest light of the picture, in candelas per square metre.
  let sourcePeak: Double
  /// The brightest light of the display.
  let targetPeak: Double

  /// The display's light for some light of the picture. Light above the peak of the picture counts as that peak.
  func callAsFunction(_ light: Double) -> Double {
    guard sourcePeak > targetPeak else { return min(light, targetPeak) }
    let whole = PerceptualQuantizer.value(sourcePeak)
    let most = PerceptualQuantizer.value(targetPeak) / whole
    let value = min(PerceptualQuantizer.value(light) / whole, 1)
    let knee = 1.5 * most - 0.5
    guard value >= knee else { return light }
    let t = (value - knee) / (1 - knee)
    let square = t * t
    let cube = square * t
    let result =
      (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
      + (3 * square - 2 * cube) * most
    return PerceptualQuantizer.light(result * whole)
  }
}
