#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Loads the stored index at opening.
extension SegmentStore {
  /// The stored index with the segments that it knows. Nil if there is none, or if it is unusable: damaged, of
  /// another version, or newer than the segments. A writer that loads an index of a closed writer marks it as out
  /// of date from now on. It removes an unusable index, so that it does no harm at the next opening, and so that
  /// the files of one index never get pages of another.
  func storedIndex(_ names: Set<String>, _ writer: inout Writer) -> SegmentIndex? {
    let isWriter = writer.isWriter
    writer.files = IndexFiles()
    // A crash left this file during an attempt to replace the index.
    if isWriter, names.contains(StoredIndex.newFileName) {
      try? fileSystem.remove(path(StoredIndex.newFileName))
    }
    guard names.contains(StoredIndex.fileName) else {
      if isWriter { try? fileSystem.remove(pagesPath) }
      return nil
    }
    var found: SegmentIndex?
    if writer.trustsStoredIndex, writer.outdated.commonDate == nil {
      do throws(DiskCacheError) {
        found = try takeUp(names, isWriter: isWriter, &writer)
        if found == nil { counters.rebuiltIndexes.increment() }
      } catch {
        if error.code != ENOENT { writer.errors.append(error) }
        // A shortage is temporary, and the file is still good.
        if error.isShortage { return nil }
        if isWriter, error.isNotRegularFile {
          for path in [indexPath, pagesPath] {
            note(&writer) { (_) throws(DiskCacheError) in
              if (try? fileSystem.open(path, for: .updating)) == nil { try fileSystem.removeObstacle(path) }
            }
          }
        }
      }
    }
    if isWriter, !writer.files.isBased { removeIndexFiles() }
    return found
  }

  private func takeUp(
    _ names: Set<String>, isWriter: Bool, _ writer: inout Writer
  ) throws(DiskCacheError) -> SegmentIndex? {
    let access: FileAccess = isWriter ? .updating : .reading
    let file = try fileSystem.open(indexPath, for: access)
    let count = try file.byteCount()
    guard count <= StoredIndex.largestByteCount,
      let bytes = try FileBytes.read(count, of: file, at: indexPath),
      let stored = StoredIndex(UnsafeRawBufferPointer(bytes.bytes))
    else { return nil }
    let pages = try fileSystem.open(pagesPath, for: access)
    guard let (index, isWhole) = try fill(stored, names, access) else { return nil }
    writer.nextSequence = stored.nextSequence
    writer.nextNumber = max(writer.nextNumber, stored.nextNumber)
    index.unverifiedBelow = stored.isClean ? stored.unverifiedBelow : stored.nextSequence
    let source = IndexPages.Source(file: pages, epoch: stored.epoch)
    let pagesByteCount = try pages.byteCount()
    // Another process may change pages while this one reads, so a reader reads all of them at once.
    if isWriter, stored.isClean, isWhole, pagesByteCount == stored.stamps.count * IndexPage.byteCount {
      try StoredIndex.markUnclean(file)
      if configuration.durability == .synced { try file.synchronize() }
      index.pages.deallocate()
      index.pages = IndexPages(
        seed: stored.seed, directory: stored.directory, stamps: stored.stamps, source: source)
      index.take(stored)
      index.isStored = true
      index.storedByteCount = pagesByteCount + count
      writer.files.pages = pages
      writer.files.isBased = true
      (writer.files.pagesByteCount, writer.files.indexByteCount) = (pagesByteCount, count)
      return index
    }
    guard try index.recover(stored, from: source, byteCount: pagesByteCount) else { return nil }
    if !isWriter { index.storedByteCount = pagesByteCount + count }
    return index
  }

  /// An index with the partitions and segments of a stored one, without entries.
  ///
  /// - Returns: The index, and whether all segments are as the stored index says. Nil if a segment is shorter.
  private func fill(
    _ stored: StoredIndex, _ names: Set<String>, _ access: FileAccess
  ) throws(DiskCacheError) -> (index: SegmentIndex, isWhole: Bool)? {
    let index = SegmentIndex()
    var isWhole = true
    index.sequenceLimit = stored.nextSequence
    for sums in stored.partitions { _ = index.number(of: sums.partition, capacity: capacity(of:)) }
    for place in stored.places {
      var segment: SegmentFile?
      if names.contains(place.name) {
        do throws(DiskCacheError) {
          segment = try SegmentFile.open(place.name, in: directory, for: access, of: fileSystem)
        } catch {
          // `load` decides later about a file that cannot be opened.
          if error.isShortage { throw error }
        }
      }
      guard let segment else {
        isWhole = false
        continue
      }
      let size = try segment.byteCount()
      guard size >= place.scanned else { return nil }
      if size != place.scanned { isWhole = false }
      let number = index.add(segment, size: size, age: place.age)
      index.setSize(size, scanned: place.scanned, ofSegment: number)
    }
    return (index, isWhole)
  }
}
