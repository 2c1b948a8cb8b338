#if canImport(OzuServer)
  import Foundation
  import Glibc

  /// A folder of this process alone for files without names, where the settings name no folder. It is removed at the end.
  struct SpoolFolder {
    let path: String

    /// Makes it in the folder for temporary files; `nil` where that cannot be: then everything stays in memory.
    init?() {
      var template = Array("\(FileManager.default.temporaryDirectory.path)/ozu-serve-XXXXXX".utf8CString)
      // Writes the name into the array, in place of the six X. Only this user can enter the folder.
      guard mkdtemp(&template) != nil else { return nil }
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes it, if it is empty: what is still open there has no name.
    func remove() { rmdir(path) }
  }
#endif
