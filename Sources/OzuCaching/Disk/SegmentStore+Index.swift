#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// The stored index: taken up at opening, written at closing and every few segments.
extension SegmentStore {
  /// So many segments at most must be scanned after a crash.
  static let sealedSegmentsPerIndex = 4

  private var indexPath: String { directory + "/" + StoredIndex.fileName }

  /// The stored index with the segments it knows of, unless it is damaged, of another version, or not older than the
  /// segments. A writer says in the file that it may be out of date from now on.
  func storedIndex(_ names: [String], _ writer: inout Writer) -> SegmentIndex? {
    let present = Set(names)
    guard present.contains(StoredIndex.fileName) else { return nil }
    let isWriter = if case .writer = writer.role { true } else { false }
    do throws(DiskCacheError) {
      let access: FileAccess = isWriter ? .updating : .reading
      let file = try fileSystem.open(indexPath, for: access)
      let count = try file.byteCount()
      guard count >= StoredIndex.headerLength else { return nil }
      let mapped = file.map(byteCount: count, as: .privateCopy)
      let bytes = if let mapped { mapped } else { try FileBytes.read(count, of: file) }
      guard let stored = StoredIndex(bytes, capacity: capacity(of:)) else {
        counters.rebuiltIndexes.increment()
        return nil
      }
      var gone: [StoredIndex.Place] = []
      for place in stored.places {
        guard present.contains(place.name),
          let segment = try SegmentFile.open(place.name, in: directory, for: access, of: fileSystem)
        else {
          gone.append(place)
          continue
        }
        let size = try segment.file.byteCount()
        guard size >= place.scanned else {
          counters.rebuiltIndexes.increment()
          return nil
        }
        stored.fill(place, with: segment, size: size)
      }
      for place in gone { stored.drop(place) }
      if isWriter, stored.isClean { try StoredIndex.markUnclean(file) }
      writer.nextSequence = stored.nextSequence
      writer.nextNumber = max(writer.nextNumber, stored.nextNumber)
      return stored.index
    } catch {
      // Everything can be had from the segments as well.
      if error.code != ENOENT { writer.errors.append(error) }
      return nil
    }
  }

  /// Removes the file of the index, which is not missed if it is not there and does no harm if it stays.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func removeStoredIndex() -> Bool {
    (try? fileSystem.remove(indexPath)) != nil
  }

  /// Writes the index to its file, which is replaced whole. Without it the next opening takes longer, no more.
  func storeIndex(_ writer: inout Writer, isClean: Bool) {
    writer.sealedSinceStored = 0
    let (sequence, number) = (writer.nextSequence, writer.nextNumber)
    let bytes = index.withLock { index in
      // The stored index has all dates of access.
      _ = index.takeDirtyDates()
      return StoredIndex.encode(index, nextSequence: sequence, nextNumber: number, isClean: isClean)
    }
    note(&writer) { (writer) throws(DiskCacheError) in
      let newPath = indexPath + ".new"
      do throws(DiskCacheError) {
        // What a crash left of an earlier attempt is in the way of creating.
        try? fileSystem.remove(newPath)
        let file = try fileSystem.open(newPath, for: .creating)
        try file.write([UnsafeRawBufferPointer(bytes.bytes)], at: 0)
        if configuration.durability == .synced { try file.synchronize() }
        try fileSystem.rename(newPath, to: indexPath)
        writer.isDirectoryUnsynced = true
      } catch {
        try? fileSystem.remove(newPath)
        throw error
      }
    }
  }
}
