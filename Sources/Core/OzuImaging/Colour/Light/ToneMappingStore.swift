import OzuBase

/// A cache of tone mappings by encoding and peak. Making one takes as long as mapping some thousands of pixels.
///
/// One lock guards it, and is not held while a mapping is made. It holds at most eight; the oldest is removed
/// first.
final class ToneMappingStore: Sendable {
  static let shared = ToneMappingStore()
  private static let limit = 8

  private struct Key: Hashable {
    let range: HighDynamicRange
    let peak: Double
  }

  private let entries = Mutex<[(key: Key, mapping: ToneMapping)]>([])

  /// `nil` for unknown primaries.
  func mapping(_ range: HighDynamicRange, peak: Double) -> ToneMapping? {
    let key = Key(range: range, peak: peak)
    if let found = entries.withLock({ $0.first { $0.key == key }?.mapping }) { return found }
    guard let mapping = ToneMapping(range, peak: peak) else { return nil }
    entries.withLock { entries in
      if entries.count >= Self.limit { entries.removeFirst() }
      entries.append((key, mapping))
    }
    return mapping
  }
}
