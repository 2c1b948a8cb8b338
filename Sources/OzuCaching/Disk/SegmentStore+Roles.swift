#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Who writes. The one that holds the lock of the directory does; the others look from time to time for what it
// committed, and one of them takes over when it goes.
extension SegmentStore {
  /// Takes the lock of the directory, or becomes a reader.
  func acquireRole(_ writer: inout Writer) {
    writer.active = nil
    do throws(DiskCacheError) {
      writer.role = try fileSystem.lock(directory + "/lock").map { .writer($0) } ?? .reader
    } catch {
      // A directory that cannot be written to can still be read.
      writer.errors.append(error)
      writer.role = .reader
    }
  }

  /// Makes sure that this cache may write: takes over from a writer that went away, and starts anew if the
  /// directory vanished.
  ///
  /// - Returns: Whether it may.
  func prepareToWrite(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    switch writer.role {
    case .closed:
      return false
    case .writer(let lock):
      // The lock file goes with the directory, and without it another process may write: it is looked at every
      // time. That somebody removed a segment alone costs entries and no more: it is enough to notice soon.
      writer.turns &+= 1
      let isActiveLinked =
        writer.turns % 16 != 1 || writer.active.map { isSegmentLinked($0) } ?? true
      if lock.isLinked, isActiveLinked { return true }
      if !lock.isLinked {
        try fileSystem.makeDirectory(directory)
        acquireRole(&writer)
      }
      writer.active = nil
      try load(&writer)
    case .reader:
      try fileSystem.makeDirectory(directory)
      acquireRole(&writer)
      guard case .writer = writer.role else { return false }
      try load(&writer)
    }
    if case .writer = writer.role { return true }
    return false
  }

  private func isSegmentLinked(_ number: Int) -> Bool {
    index.withLock { $0.segments[number]?.file.file.isLinked ?? false }
  }

  /// Looks for what the writer committed since, at most once per refresh interval.
  ///
  /// - Returns: Whether it looked.
  func refresh() -> Bool {
    let didLook = try? write { (writer) throws(DiskCacheError) -> Bool in
      guard case .reader = writer.role else { return false }
      let date = now()
      let interval = Int64(configuration.refreshInterval * 1e9)
      if writer.refreshed <= date, date &- writer.refreshed < interval { return false }
      writer.refreshed = date
      do throws(DiskCacheError) {
        try catchUp(&writer)
        return true
      } catch {
        if error.code != ENOENT { writer.errors.append(error) }
        return false
      }
    }
    return didLook ?? false
  }

  private func catchUp(_ writer: inout Writer) throws(DiskCacheError) {
    let names = Set(try fileSystem.list(directory).filter(SegmentHeader.isFileName))
    // Only this method changes a reader's segments, and it runs under the writer's lock.
    let known = index.withLock { index in
      index.segments.enumerated().compactMap { number, segment in segment.map { (number, $0.file) } }
    }
    for (number, file) in known {
      if names.contains(file.name) {
        let size = try file.file.byteCount()
        try extend(number, to: size, &writer)
      } else {
        index.withLock { $0.removeSegment(number) }
      }
    }
    for name in names.subtracting(known.map(\.1.name)).sorted() {
      let file: SegmentFile?
      do throws(DiskCacheError) {
        file = try SegmentFile.open(name, in: directory, for: .reading, of: fileSystem)
      } catch {
        if error.code == ENOENT { continue }
        throw error
      }
      // One without a whole header is being made: it is looked at again next time.
      guard let file else { continue }
      let size = try file.file.byteCount()
      let number = index.withLock { $0.add(file, size: SegmentHeader.byteCount, age: file.number) }
      try extend(number, to: size, &writer)
    }
  }

  private func extend(_ number: Int, to size: Int, _ writer: inout Writer) throws(DiskCacheError) {
    guard let state = index.withLock({ $0.segments[number] }), size > state.scanned else { return }
    var found: [SegmentFile.ScannedEntry] = []
    let end = try state.file.scan(from: state.scanned, to: size) { found.append($0) }
    index.withLock { index in
      for entry in found where entry.header.isLive {
        let partition = index.number(of: entry.partition, capacity: capacity(of:))
        _ = index.insert(entry.header, in: partition, segment: number, offset: entry.offset)
      }
      index.setSize(size, scanned: end, ofSegment: number)
    }
  }
}
