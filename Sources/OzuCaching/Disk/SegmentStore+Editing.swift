import OzuSynchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Stores entries of editors that are too long to be kept in memory.
extension SegmentStore {
  /// The bytes that an editor keeps in memory. An entry that is handed over to another process is written by one
  /// call.
  var editorBufferLimit: Int {
    let capacity = currentCapacity.load(ordering: .relaxed)
    if !isWriter, configuration.access == .updating, let limit = offerByteCount(for: capacity) {
      return min(limit, 4 << 20)
    }
    return min(64 << 10, segmentSize(for: capacity) / 2)
  }

  /// Makes the file of an entry. Nil if this cache may not write, or if the file cannot be made.
  func startSpilling(
    key: CacheKey, partition: Partition, metadata: Data, label: String
  ) -> SpilledRecord? {
    let record = try? write { (writer) throws(DiskCacheError) -> SpilledRecord? in
      do throws(DiskCacheError) {
        guard try prepareToWrite(&writer) else {
          counters.dropped.increment()
          return nil
        }
        let salt = UInt64.random(in: 1 ... .max, using: &writer.random)
        let header = SegmentHeader(number: writer.nextNumber, salt: salt, created: now())
        writer.nextNumber += 1
        let path = directory + "/" + header.fileName + SpilledRecord.suffix
        let file = try fileSystem.open(path, for: .creating)
        return SpilledRecord(
          key: key, partition: partition, metadata: metadata, label: label, header: header, file: file)
      } catch {
        writer.errors.append(error)
        return nil
      }
    }
    return record ?? nil
  }

  /// Writes bytes after those of the entry so far. They count as used bytes at once.
  ///
  /// - Returns: Whether the bytes fit and were written. If not, the entry is discarded.
  func append(_ bytes: Data, to record: SpilledRecord) -> Bool {
    let isWritten = try? write { (writer) throws(DiskCacheError) -> Bool in
      let count = record.progress.withLock { $0.count }
      let length = record.bodyOffset + count + bytes.count + 8
      let limit = capacity(of: record.partition)
      guard length + SegmentHeader.byteCount <= writer.capacity, limit == 0 || length <= limit else {
        counters.refusals.increment()
        return false
      }
      do throws(DiskCacheError) {
        writer.spilledByteCount += bytes.count
        record.progress.withLock { $0.count += bytes.count }
        try makeRoom(for: record.bodyOffset + 8, &writer)
        var failure: DiskCacheError?
        bytes.withUnsafeBytes { bytes in
          do throws(DiskCacheError) {
            try record.file.write([bytes], at: record.bodyOffset + count)
            record.progress.withLock { $0.checksum.update(bytes) }
          } catch {
            failure = error
          }
        }
        if let failure { throw failure }
        return true
      } catch {
        writer.errors.append(error)
        return false
      }
    }
    if isWritten == true { return true }
    discard(record)
    return false
  }

  /// Removes the entry of a key whose editor failed before it was committed.
  func forget(_ key: CacheKey, in partition: Partition) {
    try? write { (writer) throws(DiskCacheError) in forget(key, in: partition, &writer) }
  }

  /// Removes the file of an entry that is not committed.
  func discard(_ record: SpilledRecord) {
    try? write { (writer) throws(DiskCacheError) in finish(record, &writer) }
  }

  private func finish(_ record: SpilledRecord, _ writer: inout Writer) {
    let count = record.progress.withLock { progress -> Int? in
      defer { progress.isDone = true }
      return progress.isDone ? nil : progress.count
    }
    guard let count else { return }
    writer.spilledByteCount -= count
    // The file does not exist any more if it was renamed to a segment, or if the directory was removed.
    try? fileSystem.remove(directory + "/" + record.partName)
  }

  /// Renames the file to a segment, and makes its record the key's entry.
  func publish(_ record: SpilledRecord) -> Bool {
    let isStored = try? write { (writer) throws(DiskCacheError) -> Bool in
      defer { finish(record, &writer) }
      var latest: Int?
      do throws(DiskCacheError) {
        guard try prepareToWrite(&writer), record.file.isLinked else {
          counters.dropped.increment()
          forget(record.key, in: record.partition, &writer)
          return false
        }
        let number = index.withLock { $0.number(of: record.partition, capacity: capacity(of:)) }
        guard number < SegmentIndex.partitionLimit else {
          counters.refusals.increment()
          forget(record.key, in: record.partition, &writer)
          return false
        }
        let header = try complete(record, &writer)
        let path = directory + "/" + record.header.fileName
        if configuration.durability == .synced { try record.file.synchronize() }
        try fileSystem.rename(directory + "/" + record.partName, to: path)
        writer.isDirectoryUnsynced = true
        latest = enter(record, header, &writer)
        writer.outdated.remove(record.key, in: record.partition)
        counters.stores.increment()
      } catch {
        writer.errors.append(error)
        forget(record.key, in: record.partition, &writer)
        return false
      }
      expireSome(Self.examinedPerStore, &writer)
      doUpkeep(length: SegmentHeader.byteCount, keeping: latest, &writer)
      return true
    }
    return isStored ?? false
  }

  /// Writes the headers before the body and the padding after it.
  private func complete(_ record: SpilledRecord, _ writer: inout Writer) throws(DiskCacheError) -> EntryHeader
  {
    let (sum, count) = record.progress.withLock { ($0.checksum.finish(), $0.count) }
    let header = record.head.header(
      sequence: writer.nextSequence, date: now(), bodyLength: count, bodyChecksum: sum)
    writer.nextSequence += 1
    var head = record.head
    let segment = record.header.bytes
    var failure: DiskCacheError?
    func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) {
      guard failure == nil else { return }
      do throws(DiskCacheError) {
        try record.file.write(parts, at: offset)
      } catch {
        failure = error
      }
    }
    let padding = header.recordLength - header.bodyOffset - count
    if padding > 0 { Self.withZeros(padding) { write([$0], at: record.bodyOffset + count) } }
    head.withEncoded(header, seed: record.header.seed(at: SegmentHeader.byteCount)) { head in
      segment.withUnsafeBytes { write([$0, head], at: 0) }
    }
    if let failure { throw failure }
    return header
  }

  /// Adds a published record to the index, and replaces the key's former entry.
  ///
  /// - Returns: The number of the record's segment.
  private func enter(_ record: SpilledRecord, _ header: EntryHeader, _ writer: inout Writer) -> Int {
    let file = SegmentFile(name: record.header.fileName, header: record.header, file: record.file)
    let size = SegmentHeader.byteCount + header.recordLength
    let (former, number, latest) = index.withLock { index in
      let segment = index.add(file, size: size, age: record.header.number)
      index.setSize(size, scanned: size, ofSegment: segment)
      let number = index.number(of: record.partition, capacity: capacity(of:))
      let former = index.insert(header, in: number, segment: segment, offset: SegmentHeader.byteCount)
        .superseded
      return (former, number, segment)
    }
    if let former { kill(former, &writer) }
    enforceCapacity(ofPartition: number, keeping: header.sequence, &writer)
    note(&writer) { (writer) throws(DiskCacheError) in
      // From now on the entry counts as a segment, and no longer as an editor's file.
      finish(record, &writer)
      try makeRoom(for: 0, &writer)
    }
    return latest
  }
}
