import OzuCaching

/// The result of a look at every key of a drill.
struct DrillCheck {
  var whole = 0
  var absent = 0
  /// Entries that were served and never stored.
  var bad = 0
  /// Entries that were flushed and are gone, or older than what was flushed.
  var lost = 0
  /// Entries that are gone and were about to be replaced.
  var replaced = 0
  /// Short-lived entries that `contains` knew and `fetch` did not have.
  var unknown = 0

  /// Looks at every key.
  ///
  /// - Parameters:
  ///   - flushed: The last version that was flushed; every key's last version up to it must be there.
  ///   - isKilled: Whether a writer was killed. It may have been replacing an entry, which is then gone.
  init(_ cache: DiskCache, flushed: Int, isKilled: Bool = false) {
    for number in 0..<DrillWorker.shortLivedCount {
      let key = DrillWorker.shortLivedKey(number)
      let isKnown = cache.contains(key)
      if isKnown != (cache.entry(forKey: key) != nil) { unknown += 1 }
    }
    for number in 0..<DrillEntry.keyCount {
      // The last version of this key that is at most `flushed`; versions start at one.
      let back = (flushed - number) % DrillEntry.keyCount
      let expected = flushed - (back < 0 ? back + DrillEntry.keyCount : back)
      guard let body = cache.entry(forKey: CacheKey("drill \(number)"))?.body else {
        absent += 1
        let next = expected + DrillEntry.keyCount
        if expected <= 0 { continue }
        if isKilled, replaced == 0, next <= flushed + 2 * DrillWorker.storesPerFlush {
          replaced += 1
        } else {
          lost += 1
        }
        continue
      }
      guard let entry = DrillEntry(body, number: number) else {
        bad += 1
        continue
      }
      whole += 1
      if entry.version < expected { lost += 1 }
    }
  }

  var isSound: Bool { bad == 0 && lost == 0 }
}
