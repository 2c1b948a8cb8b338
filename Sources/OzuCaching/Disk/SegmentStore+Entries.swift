#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Stores single entries.
extension SegmentStore {
  /// Stores an entry and replaces the key's former one.
  ///
  /// - Parameter original: The entry that this one is a copy of, or nil. A copy keeps the date of storing, and is
  ///   not stored if the key has another entry by now.
  func store(
    _ body: Data, metadata: Data, label: String, key: CacheKey, partition: Partition,
    copyOf original: EntryHeader? = nil
  ) -> Bool {
    // Checksums are computed before any lock is taken.
    var head = EntryHead(
      key: key, partition: partition, label: label.cut(toUTF8Count: 4096), metadata: metadata)
    var header = head.header(
      sequence: 0, date: now(), bodyLength: body.count,
      bodyChecksum: original?.bodyChecksum ?? body.withUnsafeBytes { Checksum64.of($0, seed: 0) })
    if let original { (header.stored, header.accessed) = (original.stored, original.accessed) }
    let length = header.recordLength

    let isStored = try? write { (writer) throws(DiskCacheError) -> Bool in
      var latest: Int?
      do throws(DiskCacheError) {
        guard try prepareToWrite(&writer) else {
          if original == nil, offer(&head, header, body, in: partition, &writer) { return true }
          counters.dropped.increment()
          forget(key, in: partition, &writer)
          return false
        }
        let (number, ownLimit) = index.withLock { index in
          let number = index.number(of: partition, capacity: capacity(of:))
          return (number, index.partitions[number].capacity)
        }
        if let original {
          let isCurrent = index.withLock { $0.location(of: key, in: number)?.sequence == original.sequence }
          guard isCurrent else { return false }
        }
        guard fits(length, inPartition: number, limit: ownLimit, writer), metadata.count < 1 << 31 else {
          counters.refusals.increment()
          forget(key, in: partition, &writer)
          return false
        }
        latest = try enter(&header, in: partition, number, &writer) {
          (header, writer) throws(DiskCacheError) in
          try append(length: length, &writer) { seed, write in
            head.withEncoded(header, seed: seed) { head in
              body.withUnsafeBytes { body in
                Self.withZeros(length - head.count - body.count) { write([head, body, $0]) }
              }
            }
          }
        }
        counters.stores.increment()
      } catch {
        writer.errors.append(error)
        forget(key, in: partition, &writer)
        return false
      }
      // The entry is stored, even if the following work fails.
      expireSome(Self.examinedPerStore, &writer)
      doUpkeep(length: length, keeping: latest, &writer)
      return true
    }
    return isStored ?? false
  }

  /// Whether an entry of `length` bytes may be stored in a partition with this capacity.
  func fits(_ length: Int, inPartition number: Int, limit: Int, _ writer: borrowing Writer) -> Bool {
    length + 2 * SegmentHeader.byteCount <= writer.capacity && (limit == 0 || length <= limit)
      && length < 1 << 34 && number < SegmentIndex.partitionLimit
  }

  /// Appends a record under the next sequence number, and makes it the entry of its key.
  ///
  /// - Parameter append: Appends the record with the given header.
  /// - Returns: The segment of the record.
  func enter(
    _ header: inout EntryHeader, in partition: Partition, _ number: Int, _ writer: inout Writer,
    append: (EntryHeader, inout Writer) throws(DiskCacheError) -> (segment: Int, offset: Int)
  ) throws(DiskCacheError) -> Int {
    writer.trimmedByteCount = nil
    index.readPage(of: header.key, in: partition)
    try makeRoom(for: header.recordLength, &writer)
    header.sequence = writer.nextSequence
    writer.nextSequence += 1
    let numbered = header
    let place = try append(numbered, &writer)
    let former = index.withLock {
      $0.insert(numbered, in: number, segment: place.segment, offset: place.offset).superseded
    }
    if let former { kill(former, &writer) }
    writer.outdated.remove(header.key, in: partition)
    enforceCapacity(ofPartition: number, keeping: header.sequence, &writer)
    return place.segment
  }

  /// Calls `body` with up to seven zeros, which fill a record up to a multiple of eight.
  static func withZeros(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
    withUnsafeBytes(of: UInt64(0)) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }

  /// Runs `body` and records its error, to be reported later.
  func note(_ writer: inout Writer, _ body: (inout Writer) throws(DiskCacheError) -> Void) {
    do throws(DiskCacheError) {
      try body(&writer)
    } catch {
      writer.errors.append(error)
    }
  }
}
