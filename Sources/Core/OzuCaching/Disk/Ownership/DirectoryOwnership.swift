import OzuBase

/// The right to write in a directory, which one process at a time has.
///
/// Design. The file `lock` selects the writer: the process that holds its `flock`. It ends with the process, so no
/// process waits for one that died. All others are readers: they look for new entries from time to time, and hand
/// their own over to the writer (`Offers`, `OwnOffers`). Before each change a process claims the directory. A writer
/// checks that its lock still has its name, because a directory that was removed and made again has another lock. A
/// reader tries to take the lock: when the writer has closed or died, the first claim takes over, and loads
/// everything that the writer left.
///
/// A writer that fails to load a segment gives the lock back (`yield`), since it must know every segment, and tries
/// again after the refresh interval. A cache that is suspended (`suspend`) has no lock and takes none until it resumes. A reader always has the reason why it may not write (`refusal`). If that is that
/// another process writes, or that it was opened to be read only, its entries are as good as the other's;
/// otherwise an entry that could not be replaced is out of date (`OutdatedEntries`).
///
/// The lock of the writer guards this value; it is changed by the functions below only.
struct DirectoryOwnership {
  private enum Role {
    /// This cache holds the lock of the directory.
    case writer(any FileLock)
    /// Another cache holds the lock, or this one may not have it.
    case reader
    /// This cache holds no lock and asks for none until it resumes.
    case suspended
    case closed
  }

  /// The answer to a caller that is about to change something.
  enum Claim: Equatable {
    case write
    /// Another process writes, or this one may not.
    case leave
    /// Load the directory first: this cache has become the writer, or files are gone.
    case load
  }

  private var role = Role.reader
  /// The reason why this cache does not write.
  private(set) var refusal: DiskCacheError
  /// The time when a reader last looked for new entries.
  private var looked = Int64.min
  /// The time when this cache last gave the lock back.
  private var yielded = Int64.min
  private var claimCount = 0
  private let context: StoreContext

  init(_ context: StoreContext) {
    self.context = context
    refusal = DiskCacheError(.change, path: context.directory, code: EBUSY)
  }

  // MARK: The role

  var isWriter: Bool { if case .writer = role { true } else { false } }
  var isReader: Bool { if case .reader = role { true } else { false } }

  /// Whether this cache holds the lock of the directory that has its name now.
  var hasLinkedLock: Bool { if case .writer(let lock) = role { lock.isLinked } else { false } }

  /// Whether this cache serves entries that another process writes, and nothing failed.
  var followsAnother: Bool {
    isReader && refusal.operation == .change && [EBUSY, EROFS].contains(refusal.code)
  }

  /// Whether another process writes, to which entries can be handed over.
  var hasOtherWriter: Bool { followsAnother && refusal.code == EBUSY }

  // MARK: Taking and giving back

  /// Makes the directory if it does not exist, and checks who may write to it.
  func prepareDirectory() throws(DiskCacheError) {
    let (configuration, directory) = (context.configuration, context.directory)
    if configuration.access == .updating { try context.fileSystem.makeDirectory(directory) }
    let writers = try context.fileSystem.writers(of: directory)
    guard !configuration.allowsForeignDirectory else { return }
    switch writers {
    case .thisUser: break
    case .anotherUser: throw DiskCacheError(.useForeignDirectory, path: directory, code: EPERM)
    case .everybody: throw DiskCacheError(.useOpenDirectory, path: directory, code: EPERM)
    }
  }

  /// Takes the lock of the directory, or becomes a reader. If the lock's name belongs to something else, or to a
  /// file that cannot be opened, no process could write; so it is replaced.
  mutating func acquire() {
    role = .reader
    guard context.configuration.access == .updating else { return refuse(EROFS) }
    do throws(DiskCacheError) {
      let (fileSystem, path) = (context.fileSystem, context.path("lock"))
      let lock = try fileSystem.withoutObstacle(at: path) { () throws(DiskCacheError) in
        try fileSystem.lock(path)
      }
      if let lock {
        role = .writer(lock)
      } else {
        refuse(EBUSY)
      }
    } catch {
      // A directory that cannot be written to may still be readable. Opening the file is a part of locking it.
      refusal = DiskCacheError(.lock, path: context.path("lock"), code: error.code)
      context.errors.note(refusal)
    }
  }

  /// Gives the lock back after a failure that may be temporary. A claim after the refresh interval takes it again.
  mutating func yield(because error: DiskCacheError) {
    guard isWriter else { return }
    role = .reader
    refusal = error
    yielded = context.now()
  }

  mutating func suspend() {
    if case .closed = role { return }
    role = .suspended
    // Not as if another process wrote: nothing may be handed over to it, since that takes a lock too.
    refuse(EAGAIN)
  }

  /// Lets the next claim take the lock. Returns whether the cache was suspended.
  mutating func resume() -> Bool {
    guard case .suspended = role else { return false }
    (role, looked, yielded) = (.reader, .min, .min)
    // A cache that only reads takes no lock that would say so.
    refuse(context.configuration.access == .reading ? EROFS : EBUSY)
    return true
  }

  /// Gives the lock back for ever.
  mutating func close() {
    role = .closed
    refuse(EBADF)
  }

  private mutating func refuse(_ code: Int32) {
    refusal = DiskCacheError(.change, path: context.directory, code: code)
  }

  /// Whether the next claim should know if the active segment still exists.
  var checksSegment: Bool { isWriter && claimCount % 16 == 0 }

  /// Asks for the right to change something: takes over from a writer that closed, and starts again if the directory
  /// was removed.
  ///
  /// - Parameter isComplete: Whether the segment that records are appended to still has its name, as far as was checked.
  mutating func claim(isComplete: Bool) throws(DiskCacheError) -> Claim {
    switch role {
    case .closed, .suspended:
      return .leave
    case .writer(let lock):
      // The lock file disappears with the directory, and then another process may write.
      claimCount &+= 1
      if lock.isLinked, isComplete { return .write }
      if !lock.isLinked {
        try prepareDirectory()
        acquire()
      }
      return .load
    case .reader:
      guard context.configuration.access == .updating, context.isDue(since: yielded) else { return .leave }
      do throws(DiskCacheError) {
        try prepareDirectory()
      } catch {
        // It is unknown whether another process still writes.
        refusal = error
        throw error
      }
      acquire()
      return isWriter ? .load : .leave
    }
  }

  // MARK: Looking for new entries

  /// Whether a reader may look now. The first look of a search waits for the refresh interval.
  mutating func mayLook(isFirst: Bool) -> Bool {
    guard isReader, !isFirst || context.isDue(since: looked) else { return false }
    noteLook()
    return true
  }

  /// Records that this cache knows the entries of now.
  mutating func noteLook() { looked = context.now() }
}

extension FileSystem {
  /// Opens, locks, makes or replaces a file. If something that cannot be opened as a file has its name, frees the name
  /// and tries once more.
  ///
  /// - Throws: The error of the second attempt, or of the first if the name cannot be freed.
  func withoutObstacle<Result>(
    at path: String, _ body: () throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    let obstacle: DiskCacheError
    do throws(DiskCacheError) {
      return try body()
    } catch {
      // The name may belong to a link, a directory, a pipe or a device, or to a file that this user may not open.
      guard error.isNotRegularFile || [EACCES, EPERM, EEXIST].contains(error.code) else { throw error }
      obstacle = error
    }
    do throws(DiskCacheError) {
      try removeObstacle(path)
    } catch {
      throw obstacle
    }
    return try body()
  }
}
