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

  /// The stored index with the segments it knows of; nil if there is none, or none that can be used: damaged, of another
  /// version, or newer than the segments. The writer removes one that cannot be used, so that it does no harm at the
  /// next opening either, and says in one that it takes up that it may be out of date from now on.
  func storedIndex(_ names: Set<String>, _ writer: inout Writer) -> SegmentIndex? {
    guard names.contains(StoredIndex.fileName) else { return nil }
    let isWriter = if case .writer = writer.role { true } else { false }
    guard writer.trustsStoredIndex, writer.outdated.commonDate == nil else {
      if isWriter { removeStoredIndex() }
      return nil
    }
    do throws(DiskCacheError) {
      let file = try fileSystem.open(indexPath, for: isWriter ? .updating : .reading)
      if let stored = try readIndex(file), let index = try filled(stored, names, &writer) {
        if isWriter, stored.isClean { try StoredIndex.markUnclean(file) }
        writer.nextSequence = stored.nextSequence
        writer.nextNumber = max(writer.nextNumber, stored.nextNumber)
        return index
      }
      counters.rebuiltIndexes.increment()
    } catch {
      // A shortage passes, and the file is as good as before.
      if error.code == ENOENT { return nil }
      writer.errors.append(error)
      if error.isShortage { return nil }
      if isWriter, error.isOfNoFile {
        note(&writer) { (_) throws(DiskCacheError) in try fileSystem.removeObstacle(indexPath) }
        return nil
      }
    }
    if isWriter { removeStoredIndex() }
    return nil
  }

  private func readIndex(_ file: any OpenFile) throws(DiskCacheError) -> StoredIndex? {
    let count = try file.byteCount()
    var header = [UInt8](repeating: 0, count: StoredIndex.headerLength)
    // The length is in the header too, so that nobody makes this process read a file of any length into memory.
    guard count <= StoredIndex.largestByteCount, try header.read(from: file, at: 0) == header.count,
      header.withUnsafeBytes({ StoredIndex.Layout($0)?.byteCount }) == count,
      let bytes = try FileBytes.read(count, of: file, at: indexPath)
    else { return nil }
    return StoredIndex(bytes, capacity: capacity(of:))
  }

  /// Enters the segments in a stored index. Segments that are gone take their entries along.
  private func filled(
    _ stored: StoredIndex, _ names: Set<String>, _ writer: inout Writer
  ) throws(DiskCacheError) -> SegmentIndex? {
    let isWriter = if case .writer = writer.role { true } else { false }
    var gone: [StoredIndex.Place] = []
    for place in stored.places {
      var segment: SegmentFile?
      if names.contains(place.name) {
        do throws(DiskCacheError) {
          segment = try SegmentFile.open(
            place.name, in: directory, for: isWriter ? .updating : .reading, of: fileSystem)
        } catch {
          // The rest of `load` decides what becomes of a file that cannot be opened.
          if error.isShortage { throw error }
        }
      }
      guard let segment else {
        gone.append(place)
        continue
      }
      let size = try segment.byteCount()
      guard size >= place.scanned else { return nil }
      stored.fill(place, with: segment, size: size)
    }
    for place in gone { stored.drop(place) }
    return stored.index
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
        let file = try withoutObstacle(at: newPath) { () throws(DiskCacheError) in
          try fileSystem.open(newPath, for: .creating)
        }
        try file.write([UnsafeRawBufferPointer(bytes.bytes)], at: 0)
        if configuration.durability == .synced { try file.synchronize() }
        try withoutObstacle(at: indexPath) { () throws(DiskCacheError) in
          try fileSystem.rename(newPath, to: indexPath)
        }
        writer.isDirectoryUnsynced = true
        writer.trustsStoredIndex = true
      } catch {
        try? fileSystem.remove(newPath)
        throw error
      }
    }
  }
}
