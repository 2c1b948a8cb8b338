import OzuBase

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
  package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(code) }

  /// Whether the name belongs to a link, a directory, a pipe or a device instead of a file.
  var isNotRegularFile: Bool { [ELOOP, EISDIR, ENXIO].contains(code) }
}

extension DiskCacheError: DescribedError {
  /// One line with the operation, the place and the reason, such as `no space left on /cache/0001.segment (needs
  /// 12.1 KB)` or `open /cache/lock: Is a directory`. Control characters in the path are written as numbers.
  public var description: String {
    let need = neededByteCount.map { " (needs \(Self.text(byteCount: $0)))" } ?? ""
    if operation == .lock, [EACCES, EPERM, EROFS].contains(code) {
      // A process that may not lock the directory may still read it, and does.
      let directory = place.lastIndex(of: "/").map { place[..<$0] } ?? "."
      return "\(directory) can be read, not written: \(reason)"
    }
    switch code {
    case ENOSPC: return "no space left on \(place)\(need)"
    case EDQUOT: return "no disk quota left on \(place)\(need)"
    default: return "\(operation.rawValue) \(place): \(reason)"
    }
  }

  private var place: String { PrintableText.name(path) }

  private var reason: String {
    switch (operation, code) {
    case (.change, EBUSY): "another cache, here or in another process, writes to it"
    case (.change, EROFS): "it was opened to be read only"
    case (.change, EBADF): "it is closed"
    case (_, ELOOP): "it is a symbolic link"
    case (_, ENXIO): "it is a pipe, a socket or a device"
    default: systemMessage(code)
    }
  }

  /// The number with a unit (bytes, KB, MB, …; a kilobyte has 1000 bytes), with one decimal.
  private static func text(byteCount: Int) -> String {
    guard byteCount >= 1000 else { return "\(byteCount) bytes" }
    var (tenths, unit) = (byteCount / 100, 0)
    while tenths >= 10_000, unit < 3 { (tenths, unit) = (tenths / 1000, unit + 1) }
    return "\(tenths / 10).\(tenths % 10) \(["KB", "MB", "GB", "TB"][unit])"
  }
}
