// Partitions: their numbers, their capacities, and their entries in the order of use.
extension SegmentIndex {
  /// The number of a partition, which is made if it is new.
  func number(of partition: Partition, capacity: (Partition) -> Int) -> Int {
    if let number = partitionNumbers[partition] { return number }
    partitions.append(PartitionState(partition: partition, capacity: capacity(partition)))
    partitionNumbers[partition] = partitions.count - 1
    return partitions.count - 1
  }

  func state(of partition: Partition) -> PartitionState? {
    partitionNumbers[partition].map { partitions[$0] }
  }

  /// Counts an entry that is about to leave to make room.
  func noteEviction(of slot: Int) {
    partitions[Int(slots[slot].partition)].evictions += 1
  }

  func setCapacity(_ capacity: Int, ofPartition number: Int) {
    partitions[number].capacity = capacity
  }

  /// The slots of a partition from the newest access to the oldest.
  func slotsByAccess(inPartition number: Int) -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(partitions[number].count)
    var next = partitions[number].newest
    while next >= 0 {
      result.append(Int(next))
      next = slots[Int(next)].older
    }
    guard result.count != partitions[number].count else { return result }
    // A stored index can have entries that are linked to each other and not to the list.
    let listed = Set(result)
    return result + slots.indices.filter { Int(slots[$0].partition) == number && !listed.contains($0) }
  }

  /// The entry of all partitions whose last use is longest ago.
  var leastRecentlyUsed: Int? {
    partitions.lazy.map(\.oldest).filter { $0 >= 0 }.map { Int($0) }.min {
      slots[$0].accessed < slots[$1].accessed
    }
  }

  func linkNewest(_ index: Int) {
    let number = Int(slots[index].partition)
    let head = partitions[number].newest
    slots[index].newer = -1
    slots[index].older = head
    if head >= 0 { slots[Int(head)].newer = Int32(index) } else { partitions[number].oldest = Int32(index) }
    partitions[number].newest = Int32(index)
  }

  func unlinkFromPartition(_ index: Int) {
    let number = Int(slots[index].partition)
    let (newer, older) = (slots[index].newer, slots[index].older)
    if newer >= 0 { slots[Int(newer)].older = older } else { partitions[number].newest = older }
    if older >= 0 { slots[Int(older)].newer = newer } else { partitions[number].oldest = newer }
  }
}
