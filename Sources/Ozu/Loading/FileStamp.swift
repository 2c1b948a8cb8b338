#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The properties of a local file that change when it is replaced or rewritten. Cached results store the stamp of
/// their file, and are valid only while the file has the same stamp.
struct FileStamp: Hashable, Sendable {
  let byteCount: Int64
  let modifiedSeconds: Int
  let modifiedNanoseconds: Int
  let inode: UInt64

  init(byteCount: Int64, modifiedSeconds: Int, modifiedNanoseconds: Int, inode: UInt64) {
    self.byteCount = byteCount
    self.modifiedSeconds = modifiedSeconds
    self.modifiedNanoseconds = modifiedNanoseconds
    self.inode = inode
  }

  init(_ status: stat) {
    byteCount = Int64(status.st_size)
    #if canImport(Glibc)
      let modified = status.st_mtim
    #else
      let modified = status.st_mtimespec
    #endif
    modifiedSeconds = Int(modified.tv_sec)
    modifiedNanoseconds = Int(modified.tv_nsec)
    inode = UInt64(status.st_ino)
  }

  /// A number for the file at a path with this stamp, constant within this process.
  func number(of path: String) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(path)
    hasher.combine(self)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// The stamp of a file now, or `nil` when there is none. One system call.
  init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
