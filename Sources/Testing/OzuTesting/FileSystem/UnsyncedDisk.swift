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
  var everything: [String: Data] {
    var names = names
    for change in nameChanges { change.apply(to: &names) }
    return names.compactMapValues { files[$0]?.current }
  }

  /// The files without the changes that were not synchronized.
  var synchronizedOnly: [String: Data] {
    names.compactMapValues { files[$0]?.synchronized }
  }

  /// The files under their latest names without the bytes that were not synchronized.
  var namesOnly: [String: Data] {
    var names = names
    for change in nameChanges { change.apply(to: &names) }
    return names.compactMapValues { files[$0]?.synchronized }
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
