#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Makes and removes the files of offers. Only the writer does this.
extension SegmentStore {
  /// Takes over the offers in the directory, and removes files that have an offer's name and are not offers.
  func takeUpOffers(_ names: [String], _ writer: inout Writer) {
    for name in names where OfferFile.isFileName(name) {
      note(&writer) { (writer) throws(DiskCacheError) in
        let path = path(name)
        do throws(DiskCacheError) {
          if let file = try SegmentFile.open(name, in: directory, for: .updating, of: fileSystem),
            file.header.version == SegmentHeader.version, OfferFile.limit(file.header) != nil
          {
            writer.offers.all.append(Offers.Offer(file: file))
            return
          }
          try fileSystem.remove(path)
        } catch {
          if error.code == ENOENT { return }
          if error.isNotRegularFile { return try fileSystem.removeObstacle(path) }
          throw error
        }
      }
    }
    noteOffers(writer)
    if !writer.offers.all.isEmpty { adoptOffers(&writer) }
    removeLargeOffers(&writer)
  }

  /// Makes unused offers: at least one, and as many as are in use, unless they would take too large a part of the
  /// capacity.
  func makeOffers(_ writer: inout Writer) {
    guard case .writer(let lock) = writer.role, lock.isLinked else { return }
    while isOfferMissing(writer), makeOffer(&writer) {}
  }

  private func isOfferMissing(_ writer: borrowing Writer) -> Bool {
    let used = writer.offers.all.count(where: \.isUsed)
    return writer.offers.all.count < min(max(1, 2 * used), OfferFile.limit)
  }

  private func makeOffer(_ writer: inout Writer) -> Bool {
    let limit = min(writer.capacity, writer.trimmedByteCount ?? .max)
    guard let byteCount = offerByteCount(for: writer.capacity),
      writer.offers.limit + byteCount <= limit / 4
    else { return false }
    do throws(DiskCacheError) {
      try makeRoom(for: byteCount, &writer)
      guard reservedByteCount + byteCount <= writer.capacity else { return false }
      let header = OfferFile.header(
        limit: byteCount, salt: UInt64.random(in: 1 ... .max, using: &writer.random), created: now())
      let file = try makeSegmentFile(OfferFile.name(of: header), header, &writer)
      writer.offers.all.append(Offers.Offer(file: file))
      noteOffers(writer)
      return true
    } catch {
      writer.errors.append(error)
      return false
    }
  }

  /// Removes an offer whose records were all adopted, if no process holds its lock.
  func removeIfAbandoned(_ file: SegmentFile, _ writer: inout Writer) throws(DiskCacheError) {
    let path = path(file.name)
    guard let lock = try fileSystem.lock(path) else { return }
    defer { withExtendedLifetime(lock) {} }
    // A record may have been appended before the lock was taken.
    guard let number = writer.offers.index(of: file.salt),
      try file.byteCount() == writer.offers.all[number].size
    else { return }
    // The copies must be durable before the originals are removed.
    if configuration.durability == .synced { try synchronize(&writer) }
    try removeFile(of: file, &writer)
    writer.offers.all.remove(at: number)
    noteOffers(writer)
  }

  /// Removes all offers, with the records that were handed over since the last look.
  ///
  /// - Returns: Whether there were any.
  @discardableResult
  func removeOffers(_ writer: inout Writer) -> Bool {
    let offers = writer.offers.all
    writer.offers.all = []
    for offer in offers {
      note(&writer) { (writer) throws(DiskCacheError) in try removeFile(of: offer.file, &writer) }
    }
    noteOffers(writer)
    return !offers.isEmpty
  }

  /// Adopts and removes all offers if one is larger than the current capacity allows.
  func removeLargeOffers(_ writer: inout Writer) {
    let byteCount = offerByteCount(for: writer.capacity) ?? 0
    guard writer.offers.all.contains(where: { $0.limit > byteCount }) else { return }
    adoptOffers(&writer)
    removeOffers(&writer)
  }

  /// Leaves the offers to the next writer.
  func forgetOffers(_ writer: inout Writer) {
    writer.offers = Offers()
    hasOffers.store(false, ordering: .relaxed)
    noteOffers(writer)
  }

  func noteOffers(_ writer: borrowing Writer) {
    let (byteCount, limit) = (writer.offers.byteCount, writer.offers.limit)
    index.withLock { index in
      index.offerByteCount = byteCount
      index.unusedOfferByteCount = limit - byteCount
    }
  }
}
