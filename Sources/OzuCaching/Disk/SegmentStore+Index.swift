#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The state of the files of the stored index.
struct IndexFiles {
  /// One round of writing pages, and the facts that the file `index` gets when all of them are written.
  struct Round {
    /// The numbers of the pages that still have to be written.
    var numbers: [Int]
    let places: [StoredIndex.Place]
    let nextSequence: UInt64
    let nextNumber: UInt64
  }

  /// The file `pages` of this epoch.
  var pages: (any OpenFile)?
  /// Whether the file `index` exists and belongs to these pages.
  var isBased = false
  var round: Round?
  /// The number of segments that were filled since the last round began.
  var sealedSinceRound = 0
  /// The bytes of the files `pages` and `index`.
  var pagesByteCount = 0
  var indexByteCount = 0
}

// Writes the index to its files, a few pages at a time.
//
// After a certain number of full segments a round begins: the dirty pages are written, some with each store, and
// then the file `index`, which records the sizes of the segments at the beginning of the round. After a crash, the
// later parts of the segments are scanned. Pages that changed after they were written in a round are newer than the
// file `index`. That does no harm: every entry that was added meanwhile is found by the scan, and the record of
// every entry that was removed says so.
extension SegmentStore {
  /// The most segments that must be scanned after a crash, apart from those that are filled during a round.
  static let sealedSegmentsPerRound = 4
  /// The most pages that a store writes, besides those that it added.
  static let pagesPerTurn = 4

  /// The most pages that a flush writes with synchronized durability, which writes pages only then.
  static let pagesPerSynchronization = 256

  /// The most bytes that one store may add to the files of the index.
  static let indexSlack = 2 * IndexPage.byteCount

  func path(_ name: String) -> String { directory + "/" + name }
  var indexPath: String { path(StoredIndex.fileName) }
  var pagesPath: String { path(StoredIndex.pagesFileName) }

  /// Decides whether the index is stored: only if its files take at most half of the bytes that all files may have.
  func decideStoring(_ writer: inout Writer) {
    let limit = min(writer.capacity, writer.trimmedByteCount ?? .max)
    let (isStored, wasStored) = index.withLock { index in
      let wasStored = index.isStored
      index.isStored = index.neededByteCount + Self.indexSlack <= limit / 2
      return (index.isStored, wasStored)
    }
    if wasStored, !isStored { removeStoredIndex(&writer) }
  }

  /// Removes the files of the index. They are not needed for correctness, and do no harm if they cannot be removed.
  ///
  /// - Returns: Whether a file was removed.
  @discardableResult
  func removeStoredIndex(_ writer: inout Writer) -> Bool {
    // Pages that are only in the file are still needed, unless the index is damaged.
    index.readAllPages()
    let wereThere = removeIndexFiles()
    writer.files = IndexFiles()
    index.withLock { $0.storedByteCount = 0 }
    return wereThere
  }

  /// Removes both files, because neither is useful without the other.
  ///
  /// - Returns: Whether a file was removed.
  @discardableResult
  func removeIndexFiles() -> Bool {
    let hadIndex = (try? fileSystem.remove(indexPath)) != nil
    let hadPages = (try? fileSystem.remove(pagesPath)) != nil
    return hadIndex || hadPages
  }
}
