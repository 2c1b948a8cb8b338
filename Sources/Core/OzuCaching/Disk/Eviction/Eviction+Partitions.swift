/// An entry that is among those of its partition that were used the longest ago.
struct EvictionCandidate {
  let key: CacheKey
  let accessed: Int64
  let sequence: UInt64
  let age: UInt64

  func wasUsed(before other: Self) -> Bool {
    (age, other.sequence) > (other.age, sequence)
  }
}

// Keeps the capacity of a partition: evicts its least recently used entries.
//
// The entries are not linked in the order of use. A walk over the pages of the index finds the 32nd part of the
// partition that was used the longest ago; these entries are evicted one by one, except those that were used or
// replaced since. Entries that are used or stored after the walk are younger than all that it found, so the order is
// exact. When none is left, the next walk follows.
extension Eviction {
  /// The entry that a partition over its capacity loses next, but not the one with the sequence number `latest`. Nil if
  /// the capacity holds.
  ///
  /// - Complexity: about 32 entries of a page are compared for each evicted one; more if the partition has a small part
  ///   of the cache's entries.
  mutating func nextVictim(ofPartition number: Int, keeping latest: UInt64?) -> SegmentIndex.Location? {
    while isOverCapacity(number) {
      guard let candidate = candidates[number]?.popLast() else {
        let found = leastRecentlyUsed(ofPartition: number, except: latest)
        guard !found.isEmpty else {
          // Nothing is left to evict, so the sums are wrong.
          index.recount()
          return nil
        }
        candidates[number] = found
        continue
      }
      let location = index.withLock { $0.location(of: candidate.key, in: number) }
      if let location, location.accessed == candidate.accessed, location.sequence != latest {
        return location
      }
    }
    return nil
  }

  private func isOverCapacity(_ number: Int) -> Bool {
    index.withLock { index in
      let state = index.partitions[number]
      return state.capacity > 0 && state.byteCount > state.capacity
    }
  }

  /// The 32nd part of a partition's entries that was used the longest ago; the least recently used one is the last.
  private func leastRecentlyUsed(ofPartition number: Int, except latest: UInt64?) -> [EvictionCandidate] {
    let date = context.now()
    let limit = max(64, index.withLock { $0.partitions[number].count } / 32)
    var candidates: [EvictionCandidate] = []
    candidates.reserveCapacity(2 * limit + IndexPage.capacity)
    var leastAge: UInt64 = 0
    index.forEachPage { index, pageNumber in
      guard let page = index.pages[pageNumber] else { return }
      for position in 0..<page.count {
        let entry = page[position]
        let age = entry.age(at: date)
        guard entry.partition == number, age >= leastAge, entry.sequence != latest else { continue }
        candidates.append(
          EvictionCandidate(key: entry.key, accessed: entry.accessed, sequence: entry.sequence, age: age))
      }
    } between: {
      guard candidates.count >= 2 * limit else { return }
      candidates.sort { $0.wasUsed(before: $1) }
      candidates.removeLast(candidates.count - limit)
      leastAge = candidates.last?.age ?? 0
    }
    candidates.sort { $1.wasUsed(before: $0) }
    return candidates
  }
}
