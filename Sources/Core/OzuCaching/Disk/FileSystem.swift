/// The operations of a file system that a disk cache needs. Tests pass one that fails.
///
/// Paths are absolute or relative to the working directory, with `/` between components.
public protocol FileSystem: Sendable {
  /// Makes a directory and its parents, and synchronizes their names to the device as far as possible. Does nothing
  /// if it exists.
  func makeDirectory(_ path: String) throws(DiskCacheError)
  /// The users who may write to a directory. `.thisUser` by default.
  func writers(of directory: String) throws(DiskCacheError) -> DirectoryWriters
  /// The names of the files in a directory, in any order.
  func list(_ directory: String) throws(DiskCacheError) -> [String]
  /// Opens a file. It is closed with the last reference to the result. Only regular files can be opened: a symbolic
  /// link (`ELOOP`), a directory (`EISDIR`), a pipe or a device (`ENXIO`) is an error.
  func open(_ path: String, for access: FileAccess) throws(DiskCacheError) -> any OpenFile
  /// Removes a file. Open files stay readable.
  func remove(_ path: String) throws(DiskCacheError)
  /// Frees a name that cannot be opened as a file: of a symbolic link, a directory, a pipe, a device, or of a file
  /// that this user may not open. A directory that is not empty is renamed instead of removed. Does nothing if the
  /// name is free, or if another process made a regular file there meanwhile. By default calls `remove`.
  func removeObstacle(_ path: String) throws(DiskCacheError)
  /// Renames a file atomically, and replaces the file with the new name.
  func rename(_ path: String, to newPath: String) throws(DiskCacheError)
  /// Synchronizes the entries of a directory to the device: new, removed and renamed files.
  func synchronizeDirectory(_ path: String) throws(DiskCacheError)
  /// Takes the exclusive lock on a file, and makes the file if it does not exist. Nil if this or another process
  /// has the lock. The lock is released with the last reference to the result, or with the process.
  func lock(_ path: String) throws(DiskCacheError) -> (any FileLock)?
}

extension FileSystem {
  /// Returns `.thisUser`, for file systems without users.
  public func writers(of directory: String) throws(DiskCacheError) -> DirectoryWriters { .thisUser }

  /// Calls `remove`, for file systems that have only files.
  public func removeObstacle(_ path: String) throws(DiskCacheError) { try remove(path) }
}

/// The users who may write to a directory.
public enum DirectoryWriters: Hashable, Sendable {
  /// This user, and perhaps the superuser and the members of the directory's group.
  case thisUser
  /// Another user, who owns the directory.
  case anotherUser
  /// Everybody.
  case everybody
}

/// The way in which a file is opened.
public enum FileAccess: Hashable, Sendable {
  /// An existing file, for reading only.
  case reading
  /// An existing file, for reading and writing.
  case updating
  /// A new file, for reading and writing; if the file exists, this is an error (`EEXIST`).
  case creating
}

/// An open file. Calls may come from any thread.
public protocol OpenFile: AnyObject, Sendable {
  /// Fills `buffer` with bytes from `offset` on, and returns their number, which is smaller than the buffer only at
  /// the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskCacheError) -> Int
  /// Writes the parts one after the other, starting at `offset`. If it throws, any number of bytes at the beginning
  /// may have been written.
  func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(DiskCacheError)
  /// Shortens the file to `byteCount` bytes.
  func truncate(to byteCount: Int) throws(DiskCacheError)
  /// Synchronizes the file's bytes to the device.
  func synchronize() throws(DiskCacheError)
  /// The file's length in bytes.
  func byteCount() throws(DiskCacheError) -> Int
  /// Whether the file still has a name; false after it was removed.
  var isLinked: Bool { get }
}

// The closures that lend bytes do not support typed errors.
extension OpenFile {
  /// Writes the parts that `body` passes on.
  func write(
    at offset: Int, _ body: (_ write: ([UnsafeRawBufferPointer]) -> Void) -> Void
  ) throws(DiskCacheError) {
    var result = Result<Void, DiskCacheError>.success(())
    body { parts in result = Result { () throws(DiskCacheError) in try write(parts, at: offset) } }
    try result.get()
  }

  /// Writes one number, little-endian.
  func write(_ number: some FixedWidthInteger & BitwiseCopyable, at offset: Int) throws(DiskCacheError) {
    try write(at: offset) { write in withUnsafeBytes(of: number.littleEndian) { write([$0]) } }
  }
}

/// A lock that is held.
public protocol FileLock: AnyObject, Sendable {
  /// Whether the lock file still has its name; false after it was removed, or its directory was moved or replaced. Then
  /// others may lock a new file.
  var isLinked: Bool { get }
}
