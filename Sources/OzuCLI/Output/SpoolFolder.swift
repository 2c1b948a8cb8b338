#if canImport(OzuServer)
  import Foundation
  import Glibc

  /// A folder of this process for files without names, used when the settings name no folder. It is removed at the end.
  struct SpoolFolder {
    let path: String

    /// Makes it in the folder for temporary files; `nil` when that fails: then everything stays in memory.
    init?() {
      var template = Array("\(FileManager.default.temporaryDirectory.path)/ozu-serve-XXXXXX".utf8CString)
      // Replaces the six X in the array by the name. Only this user can enter the folder.
      guard mkdtemp(&template) != nil else { return nil }
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes it. It has no names, only files that are still open.
    func remove() { rmdir(path) }
  }
#endif
