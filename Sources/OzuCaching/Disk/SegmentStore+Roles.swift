#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Decides which process writes: the one that holds the lock of the directory. The others look from time to time for
// new entries, and hand over their own to the writer. When the writer closes, one of them takes over.
extension SegmentStore {
  /// Makes the directory if it does not exist, and checks who may write to it.
  func prepareDirectory() throws(DiskCacheError) {
    if configuration.access == .updating { try fileSystem.makeDirectory(directory) }
    let writers = try fileSystem.writers(of: directory)
    guard !configuration.allowsForeignDirectory else { return }
    switch writers {
    case .thisUser: break
    case .anotherUser: throw DiskCacheError(.useForeignDirectory, path: directory, code: EPERM)
    case .everybody: throw DiskCacheError(.useOpenDirectory, path: directory, code: EPERM)
    }
  }

  /// Takes the lock of the directory, or becomes a reader. If the lock's name belongs to something else, or to a
  /// file that cannot be opened, no process could write; so it is replaced.
  func acquireRole(_ writer: inout Writer) {
    writer.active = nil
    writer.role = .reader
    guard configuration.access == .updating else {
      writer.refusal = DiskCacheError(.change, path: directory, code: EROFS)
      return
    }
    do throws(DiskCacheError) {
      let path = directory + "/lock"
      let lock = try withoutObstacle(at: path) { () throws(DiskCacheError) in try fileSystem.lock(path) }
      if let lock {
        writer.role = .writer(lock)
      } else {
        writer.refusal = DiskCacheError(.change, path: directory, code: EBUSY)
      }
    } catch {
      // A directory that cannot be written to may still be readable.
      writer.errors.append(error)
      writer.refusal = error
    }
  }

  /// Releases the lock after a failure that may be temporary. A store tries again after the refresh interval.
  func becomeReader(because error: DiskCacheError, _ writer: inout Writer) {
    guard case .writer = writer.role else { return }
    writer.role = .reader
    writer.active = nil
    forgetOffers(&writer)
    writer.refusal = error
    writer.yielded = now()
  }

  /// Makes sure that this cache may write: takes over from a writer that closed, and starts again if the directory
  /// was removed.
  ///
  /// - Returns: Whether this cache may write.
  func prepareToWrite(_ writer: inout Writer) throws(DiskCacheError) -> Bool {
    switch writer.role {
    case .closed:
      return false
    case .writer(let lock):
      // The lock file disappears with the directory, and then another process may write, so it is checked every
      // time. If only a segment was removed, nothing but entries is lost, so that check may come later.
      writer.turns &+= 1
      let isActiveLinked =
        writer.turns % 16 != 1 || writer.active.map { isSegmentLinked($0) } ?? true
      if lock.isLinked, isActiveLinked { return true }
      if !lock.isLinked {
        try prepareDirectory()
        acquireRole(&writer)
      }
      try load(&writer)
    case .reader:
      guard configuration.access == .updating, isDue(since: writer.yielded) else { return false }
      do throws(DiskCacheError) {
        try prepareDirectory()
      } catch {
        // It is unknown whether another process still writes.
        writer.refusal = error
        throw error
      }
      acquireRole(&writer)
      guard case .writer = writer.role else { return false }
      try load(&writer)
    }
    if case .writer = writer.role { return true }
    return false
  }

  /// Makes sure that this cache may write, for changes that must not be dropped silently.
  ///
  /// - Throws: The reason why it may not.
  func requireWriter(_ writer: inout Writer) throws(DiskCacheError) {
    if try prepareToWrite(&writer) { return }
    counters.dropped.increment()
    if case .closed = writer.role { throw DiskCacheError(.change, path: directory, code: EBADF) }
    throw writer.refusal
  }

  /// Whether the refresh interval has passed since a date, or the clock was set back.
  func isDue(since former: Int64) -> Bool {
    let date = now()
    let interval = Int64(max(0, min(9e18, configuration.refreshInterval * 1e9)))
    let (elapsed, isLongAgo) = date.subtractingReportingOverflow(former)
    return former > date || isLongAgo || elapsed >= interval
  }

  private func isSegmentLinked(_ number: Int) -> Bool {
    index.withLock { $0.segments[number]?.file.file.isLinked ?? false }
  }
}
