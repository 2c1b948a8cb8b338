import OzuBase

/// The records on disk: an append-only log in segments.
///
/// Design. An entry is one record. One call writes it after the last record of the active segment. A full segment is
/// sealed, and a new one begins; a record larger than half a segment gets a segment of its own. A removed, evicted or
/// superseded record is marked as dead in place, by overwriting its state word. So the log needs no tombstones, and
/// any segment can be removed at any time; one without live entries is removed at once. Records have rising sequence
/// numbers, and of two live records of one key the higher one counts.
///
/// A crash leaves at most one unfinished record, at the end of a segment; its length or its checksum shows it
/// (`SegmentFile.scan`, `RecordReader`). With synchronized durability a copied record and its segment stay until the copy is
/// durable, so a loss of power leaves one of the two.
///
/// The log owns the numbers, the active segment, and the files that were changed since they were synchronized. The
/// sizes of the segments are in the index, because fetches need the files. The lock of the writer guards this value;
/// its functions take the lock of the index briefly.
struct SegmentLog {
  typealias RecordLocation = (segment: Int, offset: Int)

  /// The numbers that the next record and the next segment get.
  struct Position {
    var sequence: UInt64 = 1
    var number: UInt64 = 1
  }

  struct Original {
    let file: SegmentFile
    let offset: Int
  }

  private(set) var position = Position()
  /// The segment that records are appended to.
  private var active: Int?
  /// The segments that must be synchronized to the device, by salt.
  private var unsynced: [UInt64: SegmentFile] = [:]
  private var isDirectoryUnsynced = false
  /// Records that were copied, by the sequence numbers of the copies. They are marked as dead when the copies are
  /// durable, or when the copies die.
  private(set) var originals: [UInt64: [Original]] = [:]
  private let context: StoreContext

  private var index: LiveIndex { context.index }

  init(_ context: StoreContext) { self.context = context }

  // MARK: Numbers

  mutating func takeSequence() -> UInt64 {
    position.sequence += 1
    return position.sequence - 1
  }

  /// A number that no other segment gets.
  mutating func takeNumber() -> UInt64 {
    position.number += 1
    return position.number - 1
  }

  /// Continues after a record of this number.
  mutating func skip(sequence: UInt64) { position.sequence = max(position.sequence, sequence &+ 1) }

  /// Continues after a segment of this number.
  mutating func skip(number: UInt64) { position.number = max(position.number, number + 1) }

  /// Whether the numbers are so high that the log must be emptied and begin again.
  var isExhausted: Bool {
    position.sequence >= LogNumbers.exhausted || position.number >= LogNumbers.segmentsExhausted
  }

  /// Begins with the first numbers again, in a log without segments.
  mutating func restart() { position = Position() }

  // MARK: Opening and closing

  /// Forgets what was known before the directory is read again. Numbers of segments are never used twice.
  mutating func reset() {
    active = nil
    originals = [:]
    position.sequence = 1
  }

  /// Continues at the position that a stored index knows.
  mutating func resume(_ stored: Position) {
    position.sequence = stored.sequence
    position.number = max(position.number, stored.number)
  }

  /// Stops appending. Nothing is synchronized any more.
  mutating func close() {
    reset()
    unsynced = [:]
  }

  /// Stops appending to the active segment, which another process may do from now on.
  mutating func release() { active = nil }

  /// Continues with the newest segment of an index that is being loaded, if it has room and the current version. The
  /// bytes after its last whole record are a write that a crash interrupted; they are cut off.
  mutating func chooseActive(of index: SegmentIndex, segmentSize size: Int) {
    let newest = index.segments.indices.filter { index.segments[$0] != nil }
      .max { index.segments[$0]!.file.number < index.segments[$1]!.file.number }
    for number in index.segments.indices {
      guard let segment = index.segments[number], segment.scanned < segment.size else { continue }
      context.counters.count { $0.damagedSegments += 1 }
      guard number == newest, segment.scanned < size else { continue }
      context.errors.attempt { () throws(DiskCacheError) in
        try segment.file.file.truncate(to: segment.scanned)
        index.setSize(segment.scanned, scanned: segment.scanned, ofSegment: number)
      }
    }
    if let newest, let segment = index.segments[newest], segment.scanned == segment.size, segment.size < size,
      segment.file.header.version == SegmentHeader.version
    {
      active = newest
    }
  }

  // MARK: Appending

  func isActive(_ segment: Int) -> Bool { segment == active }

  /// Whether the active segment still has its name; true if there is none.
  var isActiveLinked: Bool {
    guard let active else { return true }
    return index.withLock { $0.segments[active]?.file }?.file.isLinked ?? false
  }

  /// Stops appending to the active segment if a record of `length` bytes does not fit. Removes the segment if it has no
  /// live entries.
  mutating func seal(ifFullFor length: Int, segmentSize limit: Int) -> Bool {
    guard length <= limit / 2, let former = active else { return false }
    let size = index.withLock { $0.segments[former]?.size ?? Int.max }
    if size < limit, size + length <= limit { return false }
    active = nil
    writeAccessDates()
    removeIfEmpty(former)
    return true
  }

  /// Appends a record, and adds its bytes but not its entry to the index.
  ///
  /// - Parameter encode: Encodes the record with the seed of its place, and passes its parts to `write`.
  mutating func append(
    length: Int, segmentSize limit: Int,
    encode: (_ seed: UInt64, _ write: ([UnsafeRawBufferPointer]) -> Void) -> Void
  ) throws(DiskCacheError) -> RecordLocation {
    let isLong = length > limit / 2
    let number = if !isLong, let active { active } else { try makeSegment() }
    if !isLong { active = number }
    guard let state = index.withLock({ $0.segments[number] }) else {
      throw DiskCacheError(.write, path: context.directory, code: ENOENT)
    }
    let offset = state.size
    var result = Result<Void, DiskCacheError>.success(())
    encode(state.file.header.seed(at: offset)) { parts in
      result = Result { () throws(DiskCacheError) in try state.file.file.write(parts, at: offset) }
    }
    do throws(DiskCacheError) {
      try result.get()
    } catch {
      // The next record would overwrite the partial write; cutting it off is only cleaner.
      try? state.file.file.truncate(to: offset)
      removeIfEmpty(number)
      throw error
    }
    index.withLock { $0.setSize(offset + length, scanned: offset + length, ofSegment: number) }
    noteChange(of: state.file)
    return (number, offset)
  }

  private mutating func makeSegment() throws(DiskCacheError) -> Int {
    let header = SegmentHeader(number: takeNumber(), salt: .random(in: 1 ... .max), created: context.now())
    let segment = try makeFile(header.fileName, header)
    return index.withLock { $0.add(segment, size: SegmentHeader.byteCount, age: header.number) }
  }

  /// Makes a file that contains only a header.
  mutating func makeFile(_ name: String, _ header: SegmentHeader) throws(DiskCacheError) -> SegmentFile {
    let path = context.path(name)
    let file = SegmentFile(
      name: name, header: header, file: try context.fileSystem.open(path, for: .creating))
    do throws(DiskCacheError) {
      try file.file.write(at: 0) { write in header.bytes.withUnsafeBytes { write([$0]) } }
    } catch {
      try? context.fileSystem.remove(path)
      throw error
    }
    noteNames()
    return file
  }

  private mutating func noteChange(of file: SegmentFile) {
    if context.isSynced { unsynced[file.salt] = file }
  }

  /// Records that a file of the directory was made, renamed or removed.
  mutating func noteNames() { isDirectoryUnsynced = true }

  // MARK: Changing in place

  /// Marks a record as dead.
  mutating func kill(_ file: SegmentFile, at offset: Int) {
    context.errors.attempt { () throws(DiskCacheError) in
      try file.file.write(UInt32(0), at: offset + EntryHeader.stateOffset)
    }
    noteChange(of: file)
  }

  /// Marks the record of an entry that left the index as dead, and the records that it is a copy of.
  ///
  /// - Parameter keepsSegment: Whether the segment stays even if it has no live entries any more.
  mutating func kill(_ location: SegmentIndex.Location, keepsSegment: Bool = false) {
    kill(location.file, at: location.offset)
    let copied = originals.removeValue(forKey: location.sequence) ?? []
    for original in copied { kill(original.file, at: original.offset) }
    guard !keepsSegment else { return }
    removeIfEmpty(location.segment)
    removeEmptySegments(of: copied)
  }

  /// Marks a record as dead that was copied, now or when the copy with this sequence number is durable: if the copy is
  /// removed later, the original must not come back.
  mutating func retire(_ file: SegmentFile, at offset: Int, sequence: UInt64, copiedAs copy: UInt64) {
    guard context.isSynced else { return kill(file, at: offset) }
    // If the original is itself a copy that is not durable yet, its originals stay as well.
    let former = originals.removeValue(forKey: sequence) ?? []
    originals[copy, default: []] += former + [Original(file: file, offset: offset)]
  }

  /// Replaces the metadata of a record that has room for it: writes the area that is not current, and then the word
  /// that makes it current.
  mutating func write(
    _ metadata: Data, to header: EntryHeader, at location: SegmentIndex.Location
  ) throws(DiskCacheError) {
    let generation = MetadataAreas.generation(after: header.generation)
    guard let area = header.areas.offset(of: generation) else { return }
    let bytes = MetadataAreas.encode(metadata, generation: generation, key: header.key)
    try location.file.file.write(at: location.offset + header.areasOffset + area) { write in
      bytes.withUnsafeBytes { write([$0]) }
    }
    try location.file.file.write(
      MetadataAreas.word(generation), at: location.offset + EntryHeader.generationOffset)
    noteChange(of: location.file)
  }

  /// Writes the dates of the latest uses into their records, at most `SegmentIndex.datesLimit` of them. The pages of
  /// the index have all dates.
  mutating func writeAccessDates() {
    for entry in index.withLock({ $0.takeRecentlyUsed() }) {
      context.errors.attempt { () throws(DiskCacheError) in
        try entry.file.file.write(entry.accessed, at: entry.offset + EntryHeader.accessedOffset)
      }
      noteChange(of: entry.file)
    }
  }

  // MARK: Removing segments

  /// Removes a segment's file if it has no live entries, will get no new ones, and has no record whose copy is not durable.
  mutating func removeIfEmpty(_ number: Int) {
    let isEmpty = index.withLock { index in
      guard number < index.segments.count, let segment = index.segments[number] else { return false }
      return segment.live == 0
    }
    guard isEmpty, number != active, !holdsOriginals(inSegment: number) else { return }
    context.errors.attempt { () throws(DiskCacheError) in try remove(number) }
  }

  /// Whether records of a segment were copied, and the copies are not durable yet: after a loss of power these records are all that is
  /// left of their entries.
  func holdsOriginals(inSegment number: Int) -> Bool {
    guard !originals.isEmpty, let file = index.withLock({ $0.segments[number]?.file }) else { return false }
    return holdsOriginals(in: file)
  }

  /// The same of a segment or an offer.
  func holdsOriginals(in file: SegmentFile) -> Bool {
    originals.values.contains { records in records.contains { $0.file.salt == file.salt } }
  }

  /// Removes those segments of these records that were kept only for them.
  private mutating func removeEmptySegments(of records: [Original]) {
    guard !records.isEmpty else { return }
    let salts = Set(records.map(\.file.salt))
    let numbers = index.withLock { index in
      index.segments.indices.filter { number in
        index.segments[number].map { salts.contains($0.file.salt) } ?? false
      }
    }
    for number in numbers { removeIfEmpty(number) }
  }

  mutating func remove(_ number: Int, evicting isEviction: Bool = false) throws(DiskCacheError) {
    guard let file = index.withLock({ $0.segments[number]?.file }) else { return }
    try removeFile(of: file)
    if active == number { active = nil }
    let removed = index.removeSegments([number], evicting: isEviction)
    if isEviction { context.counters.count { $0.evictions += removed } }
  }

  /// Removes all segments.
  ///
  /// - Throws: The error of the last file that could not be removed. The others are gone.
  mutating func removeAll() throws(DiskCacheError) {
    let files = index.withLock { index in
      index.segments.enumerated().compactMap { number, segment in segment.map { (number, $0.file) } }
    }
    var removed: [Int] = []
    var failure: DiskCacheError?
    for (number, file) in files {
      do throws(DiskCacheError) {
        try removeFile(of: file)
        removed.append(number)
      } catch {
        failure = error
      }
    }
    active = nil
    index.removeSegments(removed)
    if let failure { throw failure }
  }

  mutating func removeFile(of segment: SegmentFile) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try context.fileSystem.remove(context.path(segment.name))
    } catch {
      if !error.isAbsent { throw error }
    }
    unsynced[segment.salt] = nil
    noteNames()
  }

  // MARK: Flushing

  /// Synchronizes the changed segments and the names of all files to the device.
  mutating func synchronize() throws(DiskCacheError) {
    for (salt, file) in unsynced {
      try file.file.synchronize()
      unsynced[salt] = nil
    }
    if isDirectoryUnsynced {
      try context.fileSystem.synchronizeDirectory(context.directory)
      isDirectoryUnsynced = false
    }
  }

  /// Marks the records as dead whose copies are durable now: a copy is when the name of its segment is.
  mutating func killOriginals() {
    let durable = originals.values.joined().filter { $0.file.file.isLinked }
    originals = [:]
    for original in durable { kill(original.file, at: original.offset) }
    removeEmptySegments(of: durable)
  }
}
