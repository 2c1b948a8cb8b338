import OzuBase

/// A disk on which some changes are durable and others are not yet.
struct UnsyncedDisk {
  /// A change of names since the last synchronization of the directory.
  private enum NameChange {
    case create(String, file: Int)
    case remove(String)
    case rename(String, to: String, file: Int)

    func isIn(_ directory: String) -> Bool {
      switch self {
      case .create(let path, _), .remove(let path): MemoryFileSystem.parent(of: path) == directory
      case .rename(let path, let newPath, _):
        [path, newPath].contains { MemoryFileSystem.parent(of: $0) == directory }
      }
    }

    func apply(to names: inout [String: Int]) {
      switch self {
      case .create(let path, let file): names[path] = file
      case .remove(let path): names[path] = nil
      case .rename(let path, let newPath, let file):
        names[path] = nil
        names[newPath] = file
      }
    }
  }

  private(set) var directories: Set<String>
  /// The files by number, also those without a name: a removal that was not synchronized may be undone.
  private var files: [Int: UnsyncedFile] = [:]
  private var names: [String: Int]
  private var nameChanges: [NameChange] = []

  init(_ log: FileSystemLog) {
    directories = log.directories
    names = log.numbers
    for (path, number) in log.numbers { files[number] = UnsyncedFile(log.contents[path] ?? Data()) }
  }

  mutating func apply(_ operation: FileSystemLog.Operation) {
    switch operation {
    case .makeDirectory(let path): directories.insert(path)
    case .create(let path, let file):
      files[file] = UnsyncedFile(Data())
      nameChanges.append(.create(path, file: file))
    case .write(let bytes, let offset, let file): files[file]?.write(bytes, at: offset)
    case .truncate(let byteCount, let file): files[file]?.truncate(to: byteCount)
    case .remove(let path): nameChanges.append(.remove(path))
    case .rename(let path, let newPath, let file):
      nameChanges.append(.rename(path, to: newPath, file: file))
    case .synchronize(let file): files[file]?.synchronize()
    case .synchronizeDirectory(let path):
      for change in nameChanges where change.isIn(path) { change.apply(to: &names) }
      nameChanges.removeAll { $0.isIn(path) }
    }
  }

  /// The files with all changes, as the running system has them.
  var everything: [String: Data] { latestNames.compactMapValues { files[$0]?.current } }

  /// The files without the changes that were not synchronized.
  var synchronizedOnly: [String: Data] { names.compactMapValues { files[$0]?.synchronized } }

  /// The files under their latest names without the bytes that were not synchronized.
  var namesOnly: [String: Data] { latestNames.compactMapValues { files[$0]?.synchronized } }

  private var latestNames: [String: Int] {
    nameChanges.reduce(into: names) { names, change in change.apply(to: &names) }
  }

  /// The files with some of the changes that were not synchronized.
  func sample(using random: inout SeededGenerator) -> [String: Data] {
    var names = names
    // The share to keep is few, half or most. With a fair draw for each change, long runs would be rare.
    let share = [0.0, 0.1, 0.5, 0.9, 1.0].randomElement(using: &random) ?? 0.5
    for change in nameChanges where Double.random(in: 0..<1, using: &random) < share {
      change.apply(to: &names)
    }
    var contents: [String: Data] = [:]
    // Sorted, because the order of a dictionary differs from run to run.
    for (path, number) in names.sorted(by: { $0.value < $1.value }) {
      contents[path] = files[number]?.sample(using: &random)
    }
    return contents
  }
}

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
