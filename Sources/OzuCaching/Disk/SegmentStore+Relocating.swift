// Copies live entries of a segment that is being emptied to the end of the log.
extension SegmentStore {
  /// Copies an entry to the end of the log. A damaged entry is not copied.
  func relocate(
    _ location: SegmentIndex.Location, _ writer: inout Writer
  ) throws(DiskCacheError) {
    var record: Record
    switch try RecordReader.read(location) {
    case .record(let read):
      record = read
    case .dead:
      return index.withLock { $0.remove(location) }
    case .corrupt:
      counters.corruptEntries.increment()
      return index.withLock { $0.remove(location) }
    case .misplaced:
      counters.corruptEntries.increment()
      return index.withLock { $0.remove(location) }
    }
    if isExpired(record.header, in: location.partition) {
      counters.expirations.increment()
      return removeEntry(location, keepsSegment: true, &writer)
    }
    let sequence = writer.nextSequence
    writer.nextSequence += 1
    record.header.sequence = sequence
    record.header.accessed = location.accessed
    let place = try append(length: location.length, &writer) { seed, write in
      record.withEncoded(seed: seed) { write([$0]) }
    }
    counters.relocations.increment()
    let isStillThere = index.withLock { index in
      guard let position = index.position(of: location) else { return false }
      index.relocate(position, to: place.segment, offset: place.offset, sequence: sequence)
      return true
    }
    guard isStillThere else {
      if let file = index.withLock({ $0.segments[place.segment]?.file }) {
        kill(file, at: place.offset, &writer)
      }
      return
    }
    // If the copy is removed later, the original must not come back. But the original must stay until the copy is
    // durable.
    if configuration.durability == .synced {
      // If the original is itself a copy that is not durable yet, its originals stay as well.
      let former = writer.pendingKills.removeValue(forKey: location.sequence) ?? []
      writer.pendingKills[sequence] =
        former + [Writer.PendingKill(file: location.file, offset: location.offset)]
    } else {
      kill(location.file, at: location.offset, &writer)
    }
  }
}
