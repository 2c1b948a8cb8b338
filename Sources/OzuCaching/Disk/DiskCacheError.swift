#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A call to the file system that failed: what was tried, where, and the system's reason.
public struct DiskCacheError: Error, Hashable, Sendable {
  /// What was tried.
  public enum Operation: String, Hashable, Sendable {
    /// Making the directory.
    case makeDirectory = "make directory"
    /// Listing the directory.
    case list
    /// Opening or creating a file.
    case open
    /// Reading from a file.
    case read
    /// Writing to a file.
    case write
    /// Cutting a file shorter.
    case truncate
    /// Asking for a file's size.
    case size
    /// Forcing a file or directory to the device.
    case synchronize
    /// Removing a file.
    case remove
    /// Renaming a file.
    case rename
    /// Locking the directory for writing.
    case lock
    /// Using a directory that belongs to another user, which `DiskCacheConfiguration.allowsForeignDirectory` permits.
    case useForeignDirectory = "use another user's directory"
    /// Using a directory that everybody may write to, which `DiskCacheConfiguration.allowsForeignDirectory` permits.
    case useOpenDirectory = "use a directory that everybody may write to"
    /// Changing a cache that this process may not write to: another process writes (`EBUSY`), the cache was opened to
    /// be read only (`EROFS`) or is closed (`EBADF`).
    case change
  }

  /// What was tried.
  public var operation: Operation
  /// The file or directory.
  public var path: String
  /// The system's error number (`errno`), such as `ENOSPC`.
  public var code: Int32
  /// The bytes that were to be written when there was no room for them; else nil.
  public var neededByteCount: Int?

  /// An error with these parts.
  ///
  /// - Parameter byteCount: The bytes that were to be written. Kept if the code says that there was no room.
  public init(_ operation: Operation, path: String, code: Int32, writing byteCount: Int? = nil) {
    self.operation = operation
    self.path = path
    self.code = code
    neededByteCount = [ENOSPC, EDQUOT].contains(code) ? byteCount : nil
  }
}

extension DiskCacheError {
  /// Whether the process or the machine was short of descriptors or memory, which passes.
  var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(code) }

  /// Whether the name is that of a link, a directory, a pipe or a device, and not of a file.
  var isOfNoFile: Bool { [ELOOP, EISDIR, ENXIO].contains(code) }
}
