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
  }

  /// What was tried.
  public var operation: Operation
  /// The file or directory.
  public var path: String
  /// The system's error number (`errno`), such as `ENOSPC`.
  public var code: Int32

  /// An error with these parts.
  public init(_ operation: Operation, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }
}

extension DiskCacheError: CustomStringConvertible {
  /// One line such as `write /cache/0001.segment: No space left on device`.
  public var description: String {
    "\(operation.rawValue) \(path): \(String(cString: strerror(code)))"
  }
}
