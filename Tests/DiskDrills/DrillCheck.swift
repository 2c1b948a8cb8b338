import OzuCaching

/// What a look at every key of a drill found.
struct DrillCheck {
  var whole = 0
  var absent = 0
  /// Entries served that nobody stored.
  var bad = 0
  /// Entries that were flushed and are gone, or older than what was flushed.
  var lost = 0

  /// Looks at every key.
  ///
  /// - Parameter flushed: The last version that was flushed; every key's last version up to it must be there.
  init(_ cache: DiskCache, flushed: Int) {
    for number in 0..<DrillEntry.keyCount {
      // The last version of this key that is at most `flushed`; versions start at one.
      let back = (flushed - number) % DrillEntry.keyCount
      let expected = flushed - (back < 0 ? back + DrillEntry.keyCount : back)
      guard let body = cache.fetch(CacheKey("drill \(number)"))?.body else {
        absent += 1
        if expected > 0 { lost += 1 }
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
