/// What a disk cache needs of a file system, so that tests can give it one that fails.
///
/// Paths are absolute or relative to the working directory, with `/` between components.
public protocol FileSystem: Sendable {
  /// Makes a directory and those above it, and forces their names to the device as far as it can. It is no error if it
  /// exists.
  func makeDirectory(_ path: String) throws(DiskCacheError)
  /// Who may write to a directory. `.thisUser` by default.
  func writers(of directory: String) throws(DiskCacheError) -> DirectoryWriters
  /// The names of the files in a directory, in any order.
  func list(_ directory: String) throws(DiskCacheError) -> [String]
  /// Opens a file. It closes when the last reference to the result goes. What is no file is an error: a symbolic link
  /// (`ELOOP`), a directory (`EISDIR`), a pipe or a device (`ENXIO`).
  func open(_ path: String, for access: FileAccess) throws(DiskCacheError) -> any OpenFile
  /// Removes a file. Those who have it open keep reading it.
  func remove(_ path: String) throws(DiskCacheError)
  /// Frees the name of a file that cannot be opened: of a symbolic link, a directory, a pipe, a device, or of a file that
  /// this user may not open. What somebody may miss is kept under another name. It is no error if nothing is there, or
  /// if another process has put a file there meanwhile. By default, what has the name is removed.
  func removeObstacle(_ path: String) throws(DiskCacheError)
  /// Renames a file, replacing what has the new name, atomically.
  func rename(_ path: String, to newPath: String) throws(DiskCacheError)
  /// Forces the entries of a directory to the device: files made, removed and renamed.
  func synchronizeDirectory(_ path: String) throws(DiskCacheError)
  /// Takes the exclusive lock on a file, making the file if need be; nil when someone else, in this process
  /// or another, has it. The lock goes with the last reference to the result, or with the process.
  func lock(_ path: String) throws(DiskCacheError) -> (any FileLock)?
}

extension FileSystem {
  /// `.thisUser`, for file systems without users.
  public func writers(of directory: String) throws(DiskCacheError) -> DirectoryWriters { .thisUser }

  /// Removes what has the name, for file systems that have files only.
  public func removeObstacle(_ path: String) throws(DiskCacheError) { try remove(path) }
}

/// Who may write to a directory.
public enum DirectoryWriters: Hashable, Sendable {
  /// This user, and perhaps the superuser and members of the directory's group.
  case thisUser
  /// Another user, to whom it belongs.
  case anotherUser
  /// Everybody.
  case everybody
}

/// How a file is opened.
public enum FileAccess: Hashable, Sendable {
  /// An existing file, to read only.
  case reading
  /// An existing file, to read and write.
  case updating
  /// A new file, to read and write; an existing one is an error (`EEXIST`).
  case creating
}

/// An open file. Every call may come from any thread.
public protocol OpenFile: AnyObject, Sendable {
  /// Fills `buffer` from `offset` on and returns how many bytes there were: fewer than asked only at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskCacheError) -> Int
  /// Writes the parts one after the other from `offset` on. When it throws, any number of the bytes, from
  /// the first on, may have been written.
  func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(DiskCacheError)
  /// Cuts the file to `byteCount` bytes.
  func truncate(to byteCount: Int) throws(DiskCacheError)
  /// Forces the file's bytes to the device.
  func synchronize() throws(DiskCacheError)
  /// The file's length in bytes.
  func byteCount() throws(DiskCacheError) -> Int
  /// Whether the file still has a name: false once it was removed.
  var isLinked: Bool { get }
  /// Maps the first bytes of the file to read, showing what is written to the file later; bytes behind its end must not
  /// be touched before the file has them. Nil, as by default, if that cannot be done: then the file is read.
  func map(byteCount: Int) -> FileBytes?
}

/// A lock that is held.
public protocol FileLock: AnyObject, Sendable {
  /// Whether the lock file still has its name: false once it was removed, when others may lock a new one.
  var isLinked: Bool { get }
}
