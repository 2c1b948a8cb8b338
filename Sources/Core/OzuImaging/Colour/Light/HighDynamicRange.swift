import OzuBase

/// An encoding of light that is brighter than white: PQ or HLG of ITU-R BT.2100, with some primaries.
package struct HighDynamicRange: Hashable, Sendable {
  package enum Transfer: Int, Hashable, Sendable {
    /// SMPTE ST 2084.
    case perceptualQuantizer = 16
    /// ARIB STD-B67.
    case hybridLogGamma = 18
  }

  package var transfer: Transfer
  /// The number of the primaries in ITU-T H.273. Unspecified primaries count as BT.2020, the only ones that BT.2100
  /// allows.
  package var primaries: Int

  /// `nil` for codes of other encodings.
  package init?(primaries: Int, transfer: Int) {
    guard let transfer = Transfer(rawValue: transfer) else { return nil }
    self.transfer = transfer
    self.primaries = primaries == 2 || primaries == 0 ? 9 : primaries
  }

  /// `nil` for other encodings. An ICC profile declares PQ or HLG by its `cicp` tag (ICC.1:2022 §9.2.17).
  package init?(_ encoding: ColorEncoding?) {
    switch encoding {
    case .coded(let primaries, let transfer): self.init(primaries: primaries, transfer: transfer)
    case .profile(let profile):
      guard let codes = profile.codes else { return nil }
      self.init(primaries: codes.primaries, transfer: codes.transfer)
    case .calibrated, nil: return nil
    }
  }

  /// The name to show to people.
  package var name: String { transfer == .perceptualQuantizer ? "PQ" : "HLG" }
}

extension ICCProfile {
  /// The primaries and the transfer function of the `cicp` tag.
  package var codes: (primaries: Int, transfer: Int)? {
    // The header has 128 bytes. The number of tags follows, and then 12 bytes for each tag: name, offset, length.
    guard data.count > 132 else { return nil }
    return data.withUnsafeBytes { bytes in
      func word(_ offset: Int) -> Int {
        Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      }
      for tag in 0..<min(word(128), 100) {
        let entry = 132 + tag * 12
        guard entry + 12 <= bytes.count else { return nil }
        guard word(entry) == Self.codesTag else { continue }
        let offset = word(entry + 4)
        guard word(entry + 8) >= 12, offset <= bytes.count - 12, word(offset) == Self.codesTag else {
          return nil
        }
        return (Int(bytes[offset + 8]), Int(bytes[offset + 9]))
      }
      return nil
    }
  }

  /// `cicp`.
  private static let codesTag = 0x6369_6370
}
