import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ICCProfile {
  /// A profile with the name that is stored in it.
  package init(_ data: Data) {
    self.init(name: ICCProfileName.find(in: data.span), data: data)
  }
}

extension ColorEncoding {
  /// From the numbers of H.273; `nil` if they mean sRGB or "unspecified".
  package init?(primaries: Int, transfer: Int) {
    let saysNothing = [0, 1, 2].contains(primaries) && [0, 1, 2, 6, 13, 14, 15].contains(transfer)
    guard !saysNothing else { return nil }
    self = .coded(primaries: primaries, transfer: transfer)
  }

  /// From the chunks of PNG, with gamma in PNG's unit of 1/100,000 (W3C PNG, third edition, §11.3.2); `nil` if they
  /// mean sRGB or are missing.
  package init?(pngGamma: Int?, chromaticities: Chromaticities?) {
    // The gamma of sRGB in files that have no chunk for sRGB itself, with a tolerance.
    let isUsual = pngGamma.map { abs($0 - 45_455) < 1000 } ?? true
    if isUsual, chromaticities.map({ $0.isClose(to: .sRGB) }) ?? true { return nil }
    guard let gamma = pngGamma ?? (chromaticities == nil ? nil : 45_455), gamma > 0 else { return nil }
    self =
      isUsual && pngGamma == nil
      ? .calibrated(gamma: 2.2, chromaticities: chromaticities ?? .sRGB)
      : .calibrated(gamma: 100_000 / Double(gamma), chromaticities: chromaticities ?? .sRGB)
  }
}

extension Chromaticities {
  fileprivate func isClose(to other: Chromaticities) -> Bool {
    let mine = [white, red, green, blue]
    let others = [other.white, other.red, other.green, other.blue]
    return zip(mine, others).allSatisfy { abs($0.x - $1.x) < 0.002 && abs($0.y - $1.y) < 0.002 }
  }
}
