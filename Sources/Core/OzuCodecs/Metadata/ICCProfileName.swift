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
      return name.flatMap { $0.isEmpty ? nil : $0 }
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
