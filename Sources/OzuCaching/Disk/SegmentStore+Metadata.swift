#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Updates metadata without changing the body.
extension SegmentStore {
  private enum Update: Sendable {
    case done
    /// The key has no entry.
    case absent
    case failed
    /// The record has no room for the metadata.
    case needsCopy
  }

  /// Replaces the metadata of an entry: in its record if it has room, otherwise by storing the entry again.
  ///
  /// - Returns: Whether the key has an entry with this metadata now.
  func updateMetadata(_ metadata: Data, key: CacheKey, partition: Partition) -> Bool {
    // A damaged or dead record is removed from the index in one turn and missing in the next; a copy may collide
    // with a store.
    for _ in 0..<8 {
      switch updateInPlace(metadata, key, partition) {
      case .done: return true
      case .absent, .failed: return false
      case .needsCopy: break
      }
      var original: (header: EntryHeader, label: String, body: Data)?
      let found: Void? = withRecord(
        key, in: partition, countsAsUse: false,
        read: { (location) throws(DiskCacheError) in try RecordReader.read(location) },
        use: { record in
          let (header, label) = (record.header, record.label ?? "")
          original = (header, label, record.takeBody())
        })
      guard found != nil, let original else { return false }
      let isStored = store(
        original.body, metadata: metadata, label: original.label, key: key, partition: partition,
        copyOf: original.header)
      if isStored { return true }
    }
    return false
  }

  private func updateInPlace(_ metadata: Data, _ key: CacheKey, _ partition: Partition) -> Update {
    let update = try? write { (writer) throws(DiskCacheError) -> Update in
      do throws(DiskCacheError) {
        guard try prepareToWrite(&writer) else {
          counters.dropped.increment()
          return .failed
        }
        index.readPage(of: key, in: partition)
        rebuildIndexIfDamaged(&writer)
        let location = index.withLock { $0.location(of: key, in: partition) }
        guard let location else { return .absent }
        // Damaged and expired records are handled by the read before the copy.
        guard case .record(let record) = try RecordReader.readHead(location),
          !isExpired(record.header, in: partition), record.header.areas.count == 2,
          metadata.count <= record.header.areas.room
        else { return .needsCopy }
        try write(metadata, to: record.header, at: location, &writer)
        return .done
      } catch {
        writer.errors.append(error)
        return .failed
      }
    }
    return update ?? .failed
  }

  /// Writes the area that is not current, and then the word that makes it current.
  private func write(
    _ metadata: Data, to header: EntryHeader, at location: SegmentIndex.Location, _ writer: inout Writer
  ) throws(DiskCacheError) {
    let generation = MetadataAreas.generation(after: header.generation)
    guard let area = header.areas.offset(of: generation) else { return }
    var failure: DiskCacheError?
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
      guard failure == nil else { return }
      do throws(DiskCacheError) {
        try location.file.file.write([bytes], at: location.offset + offset)
      } catch {
        failure = error
      }
    }
    MetadataAreas.encode(metadata, generation: generation, key: header.key)
      .withUnsafeBytes { write($0, at: header.areasOffset + area) }
    withUnsafeBytes(of: MetadataAreas.word(generation).littleEndian) {
      write($0, at: EntryHeader.generationOffset)
    }
    if let failure { throw failure }
    if configuration.durability == .synced { writer.unsynced[location.file.salt] = location.file }
  }
}
