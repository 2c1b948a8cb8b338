import OzuSynchronization

/// The tone mappings of the encodings and peaks met last: making one takes as long as mapping some thousands of pixels.
///
/// One lock guards it, and is not held while one is made. It holds eight at most, the oldest of which goes first.
final class ToneMappingStore: Sendable {
  static let shared = ToneMappingStore()
  private static let limit = 8

  private struct Key: Hashable {
    let range: HighDynamicRange
    let peak: Double
  }

  private let entries = Mutex<[(key: Key, mapping: ToneMapping)]>([])

  /// `nil` for primaries that are not known.
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
