// Partitions: their numbers, their capacities, and their entries in the order of use.
extension SegmentIndex {
  /// The number of a partition. A new partition gets the next number.
  func number(of partition: Partition, capacity: (Partition) -> Int) -> Int {
    if let number = number(of: partition) { return number }
    partitions.append(PartitionState(partition: partition, capacity: capacity(partition)))
    partitionNumbers[partition] = partitions.count - 1
    partitionsByteCount += partition.name.utf8.count + 18
    return partitions.count - 1
  }

  func state(of partition: Partition) -> PartitionState? {
    partitionNumbers[partition].map { partitions[$0] }
  }

  /// Counts an entry that is about to be evicted.
  func noteEviction(inPartition number: Int) {
    partitions[number].evictions &+= 1
  }

  func setCapacity(_ capacity: Int, ofPartition number: Int) {
    partitions[number].capacity = capacity
  }

  /// The entries of a partition, or of all partitions, from the most to the least recently used.
  ///
  /// - Complexity: O(entries × log entries). Reads all pages.
  func entriesByAccess(in partition: Partition? = nil) -> [IndexEntry] {
    let number = partition.map { partitionNumbers[$0] ?? -1 }
    var result: [IndexEntry] = []
    forEach { if number == nil || $0.partition == number { result.append($0) } }
    return result.sorted { ($0.accessed, $0.sequence) > ($1.accessed, $1.sequence) }
  }
}
