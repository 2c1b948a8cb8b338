#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// What opening finds: the index from its file, and the records that the segments have beyond it.
extension SegmentStore {
  /// Takes up the stored index and what the segments have beyond it, or all that they have. The writer also cleans
  /// up: unreadable segments and those of other versions go, and superseded records are marked as such.
  func load(_ writer: inout Writer) throws(DiskCacheError) {
    let isWriter = if case .writer = writer.role { true } else { false }
    let names = try fileSystem.list(directory).sorted()
    writer.nextSequence = 1
    var superseded: [(file: SegmentFile, offset: Int)] = []
    let stored = storedIndex(names, &writer)
    let isRebuilt = stored == nil
    var fresh = stored ?? SegmentIndex()
    fresh.isReader = !isWriter
    var known: [String: Int] = [:]
    for number in fresh.segments.indices {
      if let name = fresh.segments[number]?.file.name { known[name] = number }
    }
    for name in names {
      guard let number = SegmentHeader.number(fromFileName: name) else { continue }
      writer.nextNumber = max(writer.nextNumber, number &+ 1)
      do throws(DiskCacheError) {
        if let segment = known[name] {
          superseded += try scan(segment, of: fresh, writer: &writer)
          continue
        }
        let access: FileAccess = isWriter ? .updating : .reading
        guard let file = try SegmentFile.open(name, in: directory, for: access, of: fileSystem) else {
          if isWriter {
            counters.damagedSegments.increment()
            try fileSystem.remove(directory + "/" + name)
          }
          continue
        }
        let segment = fresh.add(file, size: try file.file.byteCount(), age: number)
        superseded += try scan(segment, of: fresh, writer: &writer)
      } catch {
        // A file that vanished since the listing is no error; of others the rest of the cache must not suffer.
        if error.code != ENOENT { writer.errors.append(error) }
      }
    }
    // What was added to a stored index is the latest used anyway.
    if isRebuilt { fresh.sortByAccessDate() }
    if isWriter {
      for record in superseded { kill(record.file, at: record.offset, &writer) }
      try chooseActive(of: fresh, &writer)
    }
    // The former index is let go after unlocking.
    index.withLock { swap(&$0, &fresh) }
    writer.refreshed = now()
    if isWriter {
      // Files that editors had not committed when their process ended; those of this process are younger.
      if writer.spilledByteCount == 0 {
        for name in names where name.hasSuffix(".segment" + SpilledRecord.suffix) {
          try? fileSystem.remove(directory + "/" + name)
        }
      }
      for number in index.withLock({ $0.segments.indices }) { removeIfEmpty(number, &writer) }
      try trim(toByteCount: writer.capacity, &writer)
    }
  }

  /// Enters the records of a segment behind what was scanned before; returns those that are superseded.
  private func scan(
    _ segment: Int, of index: SegmentIndex, writer: inout Writer
  ) throws(DiskCacheError) -> [(file: SegmentFile, offset: Int)] {
    guard let state = index.segments[segment], state.scanned < state.size else { return [] }
    var found: [SegmentFile.ScannedEntry] = []
    let end = try state.file.scan(from: state.scanned, to: state.size) { found.append($0) }
    var superseded: [(file: SegmentFile, offset: Int)] = []
    let latest = now() + 86_400_000_000_000
    for entry in found {
      writer.nextSequence = max(writer.nextSequence, entry.header.sequence &+ 1)
      guard entry.header.isLive else { continue }
      var header = entry.header
      if header.accessed < header.stored || header.accessed > latest { header.accessed = header.stored }
      let partition = index.number(of: entry.partition, capacity: capacity(of:))
      let result = index.insert(header, in: partition, segment: segment, offset: entry.offset)
      if !result.isCurrent { superseded.append((state.file, entry.offset)) }
      if let former = result.superseded { superseded.append((former.file, former.offset)) }
      if result.isCurrent, header.accessed > header.stored, let slot = index.find(header.key, in: partition) {
        index.markReferenced(slot)
      }
    }
    index.setSize(state.size, scanned: end, ofSegment: segment)
    return superseded
  }

  /// Goes on writing in the newest segment if there is room in it. What lies behind its last whole record
  /// is a write that a crash cut short.
  private func chooseActive(of index: SegmentIndex, _ writer: inout Writer) throws(DiskCacheError) {
    let size = segmentSize(for: writer.capacity)
    let newest = index.segments.indices.filter { index.segments[$0] != nil }
      .max { index.segments[$0]!.file.number < index.segments[$1]!.file.number }
    for number in index.segments.indices {
      guard let segment = index.segments[number], segment.scanned < segment.size else { continue }
      counters.damagedSegments.increment()
      guard number == newest, segment.scanned < size else { continue }
      do throws(DiskCacheError) {
        try segment.file.file.truncate(to: segment.scanned)
        index.setSize(segment.scanned, scanned: segment.scanned, ofSegment: number)
      } catch {
        writer.errors.append(error)
      }
    }
    if let newest, let segment = index.segments[newest], segment.scanned == segment.size, segment.size < size
    {
      writer.active = newest
    }
  }
}
