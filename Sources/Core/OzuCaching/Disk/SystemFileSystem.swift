import OzuBase

/// The system's files, through POSIX calls. New files are accessible only for this user.
public struct SystemFileSystem: FileSystem {
  /// Makes a value. All values are the same.
  public init() {}

  /// Makes a directory and its parents, accessible only for this user. Their names are synchronized to the device,
  /// because a synchronized file is lost together with its directory. A parent that this user may not read is not
  /// synchronized.
  public func makeDirectory(_ path: String) throws(DiskCacheError) {
    var isMade = mkdir(path, 0o700) == 0
    if !isMade, errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try makeDirectory(String(path[..<slash]))
      isMade = mkdir(path, 0o700) == 0
    }
    let code = errno
    guard isMade || (code == EEXIST && Self.isDirectory(path)) else {
      throw DiskCacheError(.makeDirectory, path: path, code: code == EEXIST ? ENOTDIR : code)
    }
    // Also for one that an app, or an earlier version of Ozu, has made: a cache comes here once for each opening.
    allowUseWhileLocked(path)
    if isMade { try? synchronizeDirectory(Self.parent(of: path)) }
  }

  /// Lets the files of a directory be read while the device is locked, after it was unlocked once, also under the strictest
  /// protection that an app may ask for. New files take it from the directory. Those from before
  /// get it first, which fails while the device is locked: then the directory is not changed either, and the next opening tries
  /// again.
  private func allowUseWhileLocked(_ path: String) {
    #if canImport(Darwin) && !os(macOS)
      let (manager, wanted) = (FileManager.default, FileProtectionType.completeUntilFirstUserAuthentication)
      let known = try? manager.attributesOfItem(atPath: path)[.protectionKey] as? FileProtectionType
      guard known?.rawValue != wanted.rawValue else { return }
      do {
        for name in try manager.subpathsOfDirectory(atPath: path) {
          try manager.setAttributes([.protectionKey: wanted], ofItemAtPath: path + "/" + name)
        }
        try manager.setAttributes([.protectionKey: wanted], ofItemAtPath: path)
      } catch {
        // The files stay as they are: while the device is locked they cannot be opened, which is a miss.
      }
    #endif
  }

  /// The users who may write to a directory, by its owner and its permissions. A symbolic link counts as the directory it
  /// leads to, unless another user made the link.
  public func writers(of directory: String) throws(DiskCacheError) -> DirectoryWriters {
    let user = geteuid()
    var status = stat()
    guard lstat(directory, &status) == 0 else { throw DiskCacheError(.list, path: directory, code: errno) }
    if status.st_mode & S_IFMT == S_IFLNK {
      guard [user, 0].contains(status.st_uid) else { return .anotherUser }
      guard stat(directory, &status) == 0 else { throw DiskCacheError(.list, path: directory, code: errno) }
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw DiskCacheError(.list, path: directory, code: ENOTDIR)
    }
    guard [user, 0].contains(status.st_uid) else { return .anotherUser }
    return status.st_mode & S_IWOTH == 0 ? .thisUser : .everybody
  }

  /// The names of the files in a directory.
  public func list(_ directory: String) throws(DiskCacheError) -> [String] {
    guard let stream = opendir(directory) else {
      throw DiskCacheError(.list, path: directory, code: errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      // Only the error number tells the end from a failure: a writer that misses a segment would bring old entries back.
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw DiskCacheError(.list, path: directory, code: errno) }
    return names
  }

  /// Opens a file. A new file is accessible only for this user.
  public func open(_ path: String, for access: FileAccess) throws(DiskCacheError) -> any OpenFile {
    let flags =
      switch access {
      case .reading: O_RDONLY
      case .updating: O_RDWR
      case .creating: O_RDWR | O_CREAT | O_EXCL
      }
    return try Descriptor(path: path, flags: flags)
  }

  /// Removes a file.
  public func remove(_ path: String) throws(DiskCacheError) {
    if unlink(path) != 0 { throw DiskCacheError(.remove, path: path, code: errno) }
  }

  /// Renames a file, and replaces the file with the new name.
  public func rename(_ path: String, to newPath: String) throws(DiskCacheError) {
    #if canImport(Glibc)
      let result = Glibc.rename(path, newPath)
    #else
      let result = Darwin.rename(path, newPath)
    #endif
    if result != 0 { throw DiskCacheError(.rename, path: path, code: errno) }
  }

  /// Synchronizes the entries of a directory to the device.
  public func synchronizeDirectory(_ path: String) throws(DiskCacheError) {
    // With the dot, a directory that is reached through a link can be opened without following links.
    let directory = try Descriptor(path: path + "/.", flags: O_RDONLY | O_DIRECTORY)
    try directory.synchronize()
  }

  /// Takes the `flock` of a file, which also excludes other holders in this process.
  public func lock(_ path: String) throws(DiskCacheError) -> (any FileLock)? {
    // A lock on a file that was removed meanwhile protects nothing. The next attempt makes a new file.
    for _ in 0..<3 {
      let file = try Descriptor(path: path, flags: O_RDWR | O_CREAT)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
        if errno == EWOULDBLOCK { return nil }
        throw DiskCacheError(.lock, path: path, code: errno)
      }
      if let lock = HeldLock(file) { return lock }
    }
    throw DiskCacheError(.lock, path: path, code: ENOENT)
  }

  private static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}

extension SystemFileSystem {
  /// Frees the name of a file that cannot be opened.
  ///
  /// Removes a link, a pipe, a socket, a device or an empty directory. Renames a directory that is not empty: adds
  /// `.set-aside-` and a random number to its name. Gives this user permission for a file that it owns. Removes a
  /// file of another user if this user owns the directory; a program that once ran as the superuser leaves such
  /// files.
  ///
  /// Another process may do the same at the same time, and may have locked the new file already. So this never
  /// renames or removes a file that can be opened, except in the moment between looking at a pipe and removing it.
  /// A process whose locked file was removed notices that by `FileLock.isLinked`.
  public func removeObstacle(_ path: String) throws(DiskCacheError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return }
      throw DiskCacheError(.remove, path: path, code: errno)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: try setAsideDirectory(path)
    case S_IFREG: try open(path, with: status)
    default: try remove(path)
    }
  }

  private func setAsideDirectory(_ path: String) throws(DiskCacheError) {
    // Both calls fail if it is not a directory. The slash makes the second call require one.
    if rmdir(path) == 0 { return }
    let newPath = "\(path).set-aside-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    do throws(DiskCacheError) {
      try rename(path + "/", to: newPath)
    } catch {
      guard [ENOTDIR, ENOENT].contains(error.code) else { throw error }
    }
  }

  /// Makes a file accessible for this user, or removes it.
  private func open(_ path: String, with status: stat) throws(DiskCacheError) {
    let user = geteuid()
    if Self.mayOpen(path) { return }
    let mode = status.st_mode & 0o777 | 0o600
    // With the flag, if a link has replaced the file, the permissions of the link's target do not change.
    if status.st_uid == user, fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW) == 0,
      Self.mayOpen(path)
    {
      return
    }
    guard Self.belongs(Self.parent(of: path), to: user) else {
      throw DiskCacheError(.remove, path: path, code: EACCES)
    }
    try remove(path)
  }

  private static func mayOpen(_ path: String) -> Bool {
    faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS) == 0
  }

  private static func belongs(_ directory: String, to user: uid_t) -> Bool {
    var status = stat()
    return stat(directory, &status) == 0 && status.st_uid == user
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// A lock that is held. The path must still lead to the locked file: if the directory was removed, moved or replaced,
/// others lock another file. The file is open, so its number is not given to another one.
private final class HeldLock: FileLock {
  private let file: Descriptor
  private let device: dev_t
  private let inode: ino_t

  /// Nil if the path does not lead to the file any more.
  init?(_ file: Descriptor) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { return nil }
    (self.file, device, inode) = (file, status.st_dev, status.st_ino)
    if !isLinked { return nil }
  }

  var isLinked: Bool {
    var status = stat()
    return lstat(file.path, &status) == 0 && status.st_dev == device && status.st_ino == inode
  }
}

private final class Descriptor: OpenFile {
  let number: Int32
  let path: String

  init(path: String, flags: Int32) throws(DiskCacheError) {
    self.path = path
    // Does not follow links, and does not wait for the other end of a pipe.
    let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    number = open(path, flags, 0o600)
    if number < 0 { throw DiskCacheError(.open, path: path, code: errno) }
    var status = stat()
    let isKnown = fstat(number, &status) == 0
    let kind = isKnown ? status.st_mode & S_IFMT : 0
    let wanted = flags & O_DIRECTORY == 0 ? S_IFREG : S_IFDIR
    guard kind == wanted else {
      // `deinit` closes the descriptor, because every property is set.
      throw DiskCacheError(.open, path: path, code: !isKnown ? errno : kind == S_IFDIR ? EISDIR : ENXIO)
    }
  }

  deinit { close(number) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskCacheError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    var done = 0
    while done < buffer.count {
      let count = pread(number, base + done, buffer.count - done, off_t(offset + done))
      if count == 0 { break }
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw DiskCacheError(.read, path: path, code: errno)
      }
    }
    return done
  }

  func write(_ parts: [UnsafeRawBufferPointer], at offset: Int) throws(DiskCacheError) {
    // The kernel does not write through these pointers, but `iovec` has no constant form.
    var vectors = parts.compactMap { part in
      part.baseAddress.map { iovec(iov_base: UnsafeMutableRawPointer(mutating: $0), iov_len: part.count) }
    }
    var position = offset
    var first = 0
    while first < vectors.count {
      let count = vectors[first...].withUnsafeBufferPointer {
        pwritev(number, $0.baseAddress, Int32($0.count), off_t(position))
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw DiskCacheError(.write, path: path, code: errno, writing: byteCount(of: parts))
      }
      if count == 0, vectors[first...].contains(where: { $0.iov_len > 0 }) {
        throw DiskCacheError(.write, path: path, code: ENOSPC, writing: byteCount(of: parts))
      }
      position += count
      var rest = count
      while first < vectors.count, rest >= vectors[first].iov_len {
        rest -= vectors[first].iov_len
        first += 1
      }
      if first < vectors.count, rest > 0 {
        vectors[first].iov_base += rest
        vectors[first].iov_len -= rest
      }
    }
  }

  private func byteCount(of parts: [UnsafeRawBufferPointer]) -> Int { parts.reduce(0) { $0 + $1.count } }

  func truncate(to byteCount: Int) throws(DiskCacheError) {
    if ftruncate(number, off_t(byteCount)) != 0 {
      throw DiskCacheError(.truncate, path: path, code: errno)
    }
  }

  func synchronize() throws(DiskCacheError) {
    #if os(Linux) && !OZU_CHECK_APPLE
      let result = fdatasync(number)
    #else
      let result = fcntl(number, F_FULLFSYNC) == -1 ? fsync(number) : 0
    #endif
    if result != 0 { throw DiskCacheError(.synchronize, path: path, code: errno) }
  }

  func byteCount() throws(DiskCacheError) -> Int {
    var status = stat()
    if fstat(number, &status) != 0 { throw DiskCacheError(.size, path: path, code: errno) }
    return Int(status.st_size)
  }

  var isLinked: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_nlink > 0
  }
}
