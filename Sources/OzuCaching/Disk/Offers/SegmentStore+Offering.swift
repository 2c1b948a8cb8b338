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

// A cache that is not the writer hands over the entries that it stores.
//
// It appends them to an offer whose lock it holds, and has them in its own index meanwhile. The writer adopts each
// entry: it writes the record to its log and marks the offered one as dead. When this cache finds the dead record,
// it looks for the other one. A full offer is released, and the writer removes it.
extension SegmentStore {
  /// Hands an entry over to the writer, and adds it to the index of this cache.
  ///
  /// - Returns: Whether an offer had room for the entry. An offer may be smaller than the entry.
  func offer(
    _ head: inout EntryHead, _ header: EntryHeader, _ body: Data, in partition: Partition,
    _ writer: inout Writer
  ) -> Bool {
    guard case .reader = writer.role, writer.refusal.operation == .change, writer.refusal.code == EBUSY else {
      return false
    }
    let number = index.withLock { $0.number(of: partition, capacity: capacity(of:)) }
    guard number < SegmentIndex.partitionLimit else { return false }
    if writer.own.dates.count >= writer.own.datesLimit { pruneDates(&writer) }
    let length = header.recordLength
    // At most three turns: one offer is full, one was removed, one has room.
    for _ in 0..<3 {
      if writer.own.open == nil {
        note(&writer) { (writer) throws(DiskCacheError) in try claimOffer(&writer) }
      }
      guard let open = writer.own.open else { return false }
      guard open.file.file.isLinked else {
        index.removeSegments([open.segment])
        writer.own.open = nil
        continue
      }
      guard open.size + length <= open.limit else {
        guard SegmentHeader.byteCount + length <= open.limit else { return false }
        writer.own.open = nil
        continue
      }
      var failure: DiskCacheError?
      head.withEncoded(header, seed: open.file.header.seed(at: open.size)) { head in
        body.withUnsafeBytes { body in
          Self.withZeros(length - head.count - body.count) { zeros in
            do throws(DiskCacheError) {
              try open.file.file.write([head, body, zeros], at: open.size)
            } catch {
              failure = error
            }
          }
        }
      }
      if let failure {
        writer.errors.append(failure)
        try? open.file.file.truncate(to: open.size)
        return false
      }
      enterOffered(header, in: partition, open, &writer)
      return true
    }
    return false
  }

  private func enterOffered(
    _ header: EntryHeader, in partition: Partition, _ open: OwnOffers.Open, _ writer: inout Writer
  ) {
    writer.own.open?.size += header.recordLength
    index.withLock { index in
      let size = open.size + header.recordLength
      index.setSize(size, scanned: size, ofSegment: open.segment)
      let number = index.number(of: partition, capacity: capacity(of:))
      // The offered record has a lower sequence number than any other.
      if let former = index.location(of: header.key, in: number) { index.remove(former) }
      _ = index.insert(header, in: number, segment: open.segment, offset: open.size)
    }
    writer.own.dates[OwnOffers.Name(key: header.key, partition: partition)] = header.stored
    counters.offered.increment()
  }

  /// Removes the dates of entries that were adopted or removed. An entry that still waits has its record in an
  /// offer.
  private func pruneDates(_ writer: inout Writer) {
    writer.own.dates = index.withLock { index in
      writer.own.dates.filter { name, _ in
        index.location(of: name.key, in: name.partition).map { OfferFile.isFileName($0.file.name) } ?? false
      }
    }
    // Doubling keeps the cost per entry constant, however many entries wait for the writer.
    writer.own.datesLimit = max(OwnOffers.leastDatesLimit, writer.own.dates.count * 2)
  }

  /// Takes the lock of an offer that no process uses.
  private func claimOffer(_ writer: inout Writer) throws(DiskCacheError) {
    guard isDue(since: writer.own.sought) else { return }
    for name in try fileSystem.list(directory).sorted() where OfferFile.isFileName(name) {
      let path = path(name)
      // Taking the lock makes the file again if the writer has just removed it.
      guard let lock = try fileSystem.lock(path) else { continue }
      guard let file = try SegmentFile.open(name, in: directory, for: .updating, of: fileSystem) else {
        try? fileSystem.remove(path)
        continue
      }
      // Records of another process are left to the writer.
      guard lock.isLinked, try file.byteCount() == SegmentHeader.byteCount,
        file.header.version == SegmentHeader.version, OfferFile.limit(file.header) != nil
      else { continue }
      let segment = index.withLock { $0.add(file, size: SegmentHeader.byteCount, age: file.number) }
      writer.own.open = OwnOffers.Open(file: file, lock: lock, segment: segment)
      return
    }
    writer.own.sought = now()
  }

  /// Synchronizes the offered records to the device.
  func flushOffer(_ writer: inout Writer) throws(DiskCacheError) {
    guard configuration.durability == .synced else { return }
    let offers = index.withLock { index in
      index.segments.compactMap { $0?.file }.filter { OfferFile.isFileName($0.name) && $0.file.isLinked }
    }
    for file in offers { try file.file.synchronize() }
    if !offers.isEmpty { try fileSystem.synchronizeDirectory(directory) }
  }

  /// Takes back an entry that was handed over, if the writer has not adopted it.
  func withdraw(_ location: SegmentIndex.Location, _ writer: inout Writer) {
    guard OfferFile.isFileName(location.file.name) else { return }
    kill(location.file, at: location.offset, &writer)
    writer.own.dates[OwnOffers.Name(key: location.key, partition: location.partition)] = nil
  }

  /// Whether a record of the writer is older than the entry that this cache handed over for the same key.
  func isOlderThanOffered(_ entry: SegmentFile.ScannedEntry, _ writer: inout Writer) -> Bool {
    guard !writer.own.dates.isEmpty else { return false }
    let name = OwnOffers.Name(key: entry.header.key, partition: entry.partition)
    guard let date = writer.own.dates[name] else { return false }
    if entry.header.stored < date { return true }
    writer.own.dates[name] = nil
    return false
  }
}
