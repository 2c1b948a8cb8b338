/// The pages of the index in memory, and reading the others from the file.
extension SegmentIndex {
  /// The number of a page that must be read, and its file.
  struct MissingPage: Sendable {
    let number: Int
    let source: IndexPages.Source
  }

  /// The page that must be read to find this entry; nil if it is in memory.
  @inline(__always)
  func missingPage(of key: CacheKey, partition: Int) -> MissingPage? {
    let hash = pages.hash(key, partition: partition)
    guard pages.page(of: hash) == nil, !isDamaged, let source = pages.source else { return nil }
    return MissingPage(number: pages.number(of: hash), source: source)
  }

  /// The page of this number, if it must be read.
  func missingPage(_ number: Int) -> MissingPage? {
    guard number < pages.count, pages[number] == nil, !isDamaged, let source = pages.source else {
      return nil
    }
    return MissingPage(number: number, source: source)
  }

  /// The page of a hash value. Reads it if it is not in memory. Nil if that fails: then the index is damaged.
  @inline(__always)
  func page(of hash: UInt64) -> IndexPage? {
    pages.page(of: hash) ?? readPage(pages.number(of: hash))
  }

  private func readPage(_ number: Int) -> IndexPage? {
    guard !isDamaged, let source = pages.source else { return nil }
    let page = try? IndexPage.read(number, from: source)
    return take(page, as: number)
  }

  /// Keeps a page that was read, if it agrees with the rest of the index.
  @discardableResult
  func take(_ page: IndexPage?, as number: Int) -> IndexPage? {
    if let present = pages[number] {
      page?.deallocate()
      return present
    }
    guard let page else {
      isDamaged = true
      return nil
    }
    guard isSound(page, as: number) else {
      page.deallocate()
      isDamaged = true
      return nil
    }
    pages.take(page, as: number)
    return page
  }

  /// Reads all pages that are not in memory.
  func readAllPages() {
    for number in 0..<pages.count where pages[number] == nil && !isDamaged { _ = readPage(number) }
  }

  /// Calls `body` with each entry.
  func forEach(_ body: (IndexEntry) -> Void) {
    readAllPages()
    for number in 0..<pages.count {
      guard let page = pages[number] else { continue }
      for position in 0..<page.count { body(page[position]) }
    }
  }
}
