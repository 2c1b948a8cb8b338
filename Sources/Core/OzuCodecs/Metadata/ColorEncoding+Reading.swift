import OzuBase
import OzuImaging

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

/// Reads the name of an ICC profile: its `desc` tag (ICC.1:2022 §9.2.41), as ASCII text in profiles of version
/// 2 (ICC.1:2001 §6.5.17) or as one of several translations in those of version 4 (§10.15).
enum ICCProfileName {
  private static let longestName = 200

  /// The name of a profile.
  ///
  /// - Parameter profile: its bytes, or the first part of them.
  /// - Returns: `nil` if the profile is broken or has no name.
  static func find(in profile: Span<UInt8>) -> String? {
    guard profile.hasBytes("acsp", at: 36), let tagCount = profile.bigEndian(at: 128, bytes: 4) else {
      return nil
    }
    for index in 0..<min(tagCount, 200) {
      let entry = 132 + index * 12
      guard profile.hasBytes("desc", at: entry) else { continue }
      guard let offset = profile.bigEndian(at: entry + 4, bytes: 4) else { return nil }
      let name =
        profile.hasBytes("mluc", at: offset)
        ? translated(profile, tag: offset) : plain(profile, tag: offset)
      return name.flatMap { MetadataText.tidied($0) }
    }
    return nil
  }

  private static func plain(_ profile: Span<UInt8>, tag: Int) -> String? {
    guard profile.hasBytes("desc", at: tag), let count = profile.bigEndian(at: tag + 8, bytes: 4) else {
      return nil
    }
    let bytes = profile.copy(from: tag + 12, byteCount: min(count, longestName))
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The English name, or else the first one.
  private static func translated(_ profile: Span<UInt8>, tag: Int) -> String? {
    guard let recordCount = profile.bigEndian(at: tag + 8, bytes: 4), recordCount > 0 else { return nil }
    var record = tag + 16
    for index in 0..<min(recordCount, 200) where profile.hasBytes("en", at: tag + 16 + index * 12) {
      record = tag + 16 + index * 12
      break
    }
    guard let length = profile.bigEndian(at: record + 4, bytes: 4),
      let offset = profile.bigEndian(at: record + 8, bytes: 4)
    else { return nil }
    var units: [UInt16] = []
    for index in 0..<min(length / 2, longestName) {
      guard let unit = profile.bigEndian(at: tag + offset + index * 2, bytes: 2), unit != 0 else { break }
      units.append(UInt16(unit))
    }
    return String(decoding: units, as: UTF16.self)
  }
}

extension ImageHeader {
  /// The tag of pixels that are left as stored.
  ///
  /// A profile that calls itself sRGB keeps its name too: the name is no proof, and only a conversion shows whether
  /// it is true.
  package var storedColorSpace: ColorSpaceTag {
    switch colorEncoding {
    case nil: .sRGB
    case .profile(let profile)?: .icc(name: profile.name ?? "unnamed profile")
    case .coded(let primaries, let transfer)?: .coded(primaries: primaries, transfer: transfer)
    case let encoding?: .encoded(name: encoding.name)
    }
  }
}
