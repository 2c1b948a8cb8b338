#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A failed call to the file system: the operation, the place, and the system's reason.
public struct DiskCacheError: Error, Hashable, Sendable {
  /// The operation that failed.
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
    /// Using a directory that belongs to another user. `DiskCacheConfiguration.allowsForeignDirectory` permits it.
    case useForeignDirectory = "use another user's directory"
    /// Using a directory that everybody may write to. `DiskCacheConfiguration.allowsForeignDirectory` permits it.
    case useOpenDirectory = "use a directory that everybody may write to"
    /// Changing a cache that this process may not write to: another process writes (`EBUSY`), the cache was opened
    /// for reading only (`EROFS`), or it is closed (`EBADF`).
    case change
  }

  /// The operation that failed.
  public var operation: Operation
  /// The path of the file or directory.
  public var path: String
  /// The system's error number (`errno`), such as `ENOSPC`.
  public var code: Int32
  /// The number of bytes to write if there was no room for them; otherwise nil.
  public var neededByteCount: Int?

  /// Makes an error with these parts.
  ///
  /// - Parameter byteCount: The number of bytes to write. Kept only if the code says that there was no room.
  public init(_ operation: Operation, path: String, code: Int32, writing byteCount: Int? = nil) {
    self.operation = operation
    self.path = path
    self.code = code
    neededByteCount = code == ENOSPC || code == EDQUOT ? byteCount : nil
  }
}

extension DiskCacheError {
  /// Whether there was no room to write: the disk is full, or this user's part of it.
  var isFull: Bool { [ENOSPC, EDQUOT].contains(code) }

  /// Whether there is no file of this name.
  var isAbsent: Bool { code == ENOENT }

  /// Whether the process or the machine had too few descriptors or too little memory. Such a failure is temporary.
  var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(code) }

  /// Whether the name belongs to a link, a directory, a pipe or a device instead of a file.
  var isNotRegularFile: Bool { [ELOOP, EISDIR, ENXIO].contains(code) }
}
