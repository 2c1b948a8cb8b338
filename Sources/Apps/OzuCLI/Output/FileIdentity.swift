import Foundation

/// The identity of a file, the same for all names of it.
enum FileIdentity: Hashable {
  /// A regular file: its device, and its inode number there.
  case file(device: UInt64, number: UInt64)
  /// A file that does not exist yet: its folder, and its name in it.
  case name(device: UInt64, folder: UInt64, String)

  /// The identity of the regular file that a path leads to or that would be made there; `nil` for anything else.
  init?(_ path: String) {
    var status = stat()
    switch try? OutputFile(path).destination() {
    case .file(_, let old?): self.init(old)
    case .file(let path, nil):
      guard stat(OutputFile.folder(of: path), &status) == 0 else { return nil }
      let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
      self = .name(
        device: UInt64(truncatingIfNeeded: status.st_dev), folder: UInt64(status.st_ino), String(name))
    case .descriptor(let descriptor):
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
      self.init(status)
    case .stream, nil: return nil
    }
  }

  private init(_ status: stat) {
    self = .file(device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(status.st_ino))
  }
}
