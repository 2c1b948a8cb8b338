import OzuBase

/// The filter that weights source pixels when a picture is resized.
///
/// For a reduction, every filter is stretched by the ratio, so that each source pixel counts and fine patterns
/// become an even grey instead of a moiré.
public enum ResamplingKernel: String, Hashable, Sendable, CaseIterable {
  /// The mean of the covered pixels, weighted by the covered fraction of each. Fast; jagged when enlarging.
  case box
  /// Linear interpolation (the triangle filter). Soft.
  case bilinear
  /// The cubic of Catmull and Rom (Keys 1981, a = -1/2). Sharp, little ringing.
  case catmullRom
  /// The cubic of Mitchell and Netravali (1988, B = C = 1/3). Between soft and sharp, without visible ringing.
  case mitchell
  /// The sinc windowed by its own central lobe, three lobes wide (Duchon 1979). The sharpest, and the default.
  case lanczos3
  /// The one pixel in the middle of what a pixel of the result covers: no colour is mixed. For pixel art, whose
  /// pixels become blocks, and for maps of categories. A reduction leaves pixels out. A decoder that reduces a JPEG
  /// mixes colours before.
  case nearest

  /// The reach of the filter to each side, in pixels of the coarser of source and result.
  var support: Double {
    switch self {
    case .nearest: 0
    case .box: 0.5
    case .bilinear: 1
    case .catmullRom, .mitchell: 2
    case .lanczos3: 3
    }
  }

  /// The weight of a sample at a distance from the centre, in the unit of `support`.
  func weight(at distance: Double) -> Double {
    let x = abs(distance)
    guard x < support else { return 0 }
    switch self {
    case .box, .nearest:
      return 1
    case .bilinear:
      return 1 - x
    case .catmullRom:
      return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2
    case .mitchell:
      return x < 1
        ? ((7 * x - 12) * x * x + 16.0 / 3) / 6 : (((-7 * x + 36) * x - 60) * x + 32) / 18
    case .lanczos3:
      // sinc(x) sinc(x / 3), with one sine instead of two, as sin 3y = 3 sin y - 4 sin³ y.
      guard x > 0 else { return 1 }
      let y = .pi * x / 3
      let sine = sin(y)
      let ratio = sine / y
      return ratio * ratio * (1 - 4.0 / 3 * sine * sine)
    }
  }
}
