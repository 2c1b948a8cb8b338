// Reads pages from the file, and checks that they agree with the rest of the index.
extension IndexPage {
  /// Reads a page; nil if it is damaged, belongs to another epoch, or does not exist.
  static func read(
    _ number: Int, from source: IndexPages.Source
  ) throws(DiskCacheError) -> IndexPage? {
    let page = IndexPage(depth: 0, prefix: 0)
    do throws(DiskCacheError) {
      let count = try source.file.read(into: page.bytes, at: number * byteCount)
      if count == byteCount,
        isSealed(UnsafeRawBufferPointer(page.bytes), number: number, epoch: source.epoch),
        page.count <= capacity
      {
        return page
      }
    } catch {
      page.deallocate()
      throw error
    }
    page.deallocate()
    return nil
  }
}

extension SegmentIndex {
  /// Whether a page from the file agrees with the directory, the segments and the partitions. Its checksum contains
  /// no secret: it detects damage, but does not prove who wrote the file. So every number is checked before it is
  /// used. Replaces the segment numbers of the file by those of this index.
  func isSound(_ page: IndexPage, as number: Int) -> Bool {
    let place = pages.place(of: number, hash: page.prefix)
    guard let place, page.depth == place.depth, page.prefix == place.prefix,
      page.stamp == pages.stamps[number]
    else { return false }
    return adopt(page)
  }

  /// Checks the entries of a page, and replaces their segment numbers by those of this index.
  ///
  /// - Returns: Whether each entry belongs to this page, occurs once, and is within a segment and a partition.
  private func adopt(_ page: IndexPage) -> Bool {
    guard page.count <= IndexPage.capacity else { return false }
    let mask: UInt64 = page.depth == 0 ? 0 : ~0 << UInt64(64 - page.depth)
    for position in 0..<page.count {
      var entry = page[position]
      let hash = pages.hash(entry.key, partition: entry.partition)
      guard case .segment(let segment) = placement(of: entry), hash & mask == page.prefix,
        page.tag(position) == UInt16(truncatingIfNeeded: hash),
        page.find(entry.key, partition: entry.partition, hash: hash) == position
      else { return false }
      entry.segment = segment
      page[position] = entry
    }
    return true
  }

  /// The place of an entry that was read from the file.
  enum Placement {
    /// In the segment with this number.
    case segment(Int)
    /// In a segment, a part of a segment or a partition that the stored index did not know yet.
    case unknown
    /// The entry contradicts the stored index.
    case impossible
  }

  func placement(of entry: IndexEntry) -> Placement {
    guard entry.partition < partitions.count,
      let number = segmentNumbers[UInt32(truncatingIfNeeded: entry.segment)], let segment = segments[number],
      entry.offset < segment.scanned
    else { return .unknown }
    guard entry.sequence < sequenceLimit, entry.offset >= SegmentHeader.byteCount,
      entry.offset + entry.length <= segment.scanned, entry.headLength >= EntryHeader.byteCount,
      entry.headLength <= entry.length
    else { return .impossible }
    return .segment(number)
  }
}
