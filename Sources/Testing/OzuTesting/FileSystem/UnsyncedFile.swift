import OzuBase

/// The bytes of a file: those on the device, and the changes that are not synchronized yet.
struct UnsyncedFile {
  private enum Change {
    case write(Data, at: Int)
    case truncate(to: Int)
  }

  /// The size of a sector. A device writes whole sectors.
  static let sectorByteCount = 512

  private(set) var synchronized: Data
  private(set) var current: Data
  private var changes: [Change] = []
  /// The lengths since the last synchronization, beginning with the length at that time.
  private var lengths: [Int]

  init(_ bytes: Data) {
    synchronized = bytes
    current = bytes
    lengths = [bytes.count]
  }

  mutating func write(_ bytes: Data, at offset: Int) {
    if bytes.isEmpty { return }
    if current.count < offset + bytes.count { current.count = offset + bytes.count }
    current.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    changes.append(.write(bytes, at: offset))
    lengths.append(current.count)
  }

  mutating func truncate(to byteCount: Int) {
    current.count = min(current.count, byteCount)
    changes.append(.truncate(to: byteCount))
    lengths.append(current.count)
  }

  mutating func synchronize() {
    synchronized = current
    changes = []
    lengths = [current.count]
  }

  /// The file with some of its changes.
  func sample(using random: inout SeededGenerator) -> Data {
    if changes.isEmpty { return synchronized }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return synchronized
    case 1: return current
    case 2:
      // The length is kept, the data is lost.
      var bytes = synchronized
      bytes.count = current.count
      return bytes
    default: return torn(using: &random)
    }
  }

  /// The file with one of its lengths, and in each sector the content of some time.
  private func torn(using random: inout SeededGenerator) -> Data {
    let share = [0.1, 0.5, 0.9].randomElement(using: &random) ?? 0.5
    var bytes = synchronized
    let length =
      Bool.random(using: &random) ? current.count : lengths.randomElement(using: &random) ?? current.count
    bytes.count = length
    for (sector, numbers) in changedSectors.sorted(by: { $0.key < $1.key }) {
      let isLast = Double.random(in: 0..<1, using: &random) < share
      let count = isLast ? numbers.count : Int.random(in: 0..<numbers.count, using: &random)
      let start = sector * Self.sectorByteCount
      let end = min(start + Self.sectorByteCount, length)
      if start >= end { continue }
      bytes.replaceSubrange(
        start..<end, with: content(ofSector: sector, after: numbers[..<count]).prefix(end - start))
    }
    return bytes
  }

  private var changedSectors: [Int: [Int]] {
    var sectors: [Int: [Int]] = [:]
    for (number, change) in changes.enumerated() {
      let range =
        switch change {
        case .write(let bytes, let offset): offset..<offset + bytes.count
        case .truncate(let byteCount): byteCount..<max(byteCount, lengths[number])
        }
      if range.isEmpty { continue }
      let last = (range.upperBound - 1) / Self.sectorByteCount
      for sector in range.lowerBound / Self.sectorByteCount...last {
        sectors[sector, default: []].append(number)
      }
    }
    return sectors
  }

  /// The content of a sector after some changes. The system writes a sector with all changes until then.
  private func content(ofSector sector: Int, after numbers: ArraySlice<Int>) -> Data {
    let start = sector * Self.sectorByteCount
    let end = start + Self.sectorByteCount
    var bytes = synchronized.count > start ? Data(synchronized[start..<min(end, synchronized.count)]) : Data()
    bytes.count = Self.sectorByteCount
    for number in numbers {
      switch changes[number] {
      case .write(let written, let offset):
        let range = max(offset, start)..<min(offset + written.count, end)
        let first = written.startIndex + range.lowerBound - offset
        bytes.replaceSubrange(
          range.lowerBound - start..<range.upperBound - start, with: written[first..<first + range.count])
      case .truncate(let byteCount):
        let first = max(byteCount - start, 0)
        bytes.resetBytes(in: first..<Self.sectorByteCount)
      }
    }
    return bytes
  }
}
