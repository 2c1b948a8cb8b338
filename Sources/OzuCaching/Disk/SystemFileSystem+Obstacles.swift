#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension SystemFileSystem {
  /// Frees the name of a file that cannot be opened.
  ///
  /// A link, a pipe, a socket and a device are removed, and so is an empty directory. A directory with something in it is
  /// renamed: `.set-aside-` and a random number are added to its name. A file of this user that its permissions
  /// close is opened to this user. A file of another user is removed if the directory belongs to this user: that is what
  /// a program leaves that once ran as the superuser.
  ///
  /// Another process may do the same at the same time, and have locked the new file already. So nothing here renames or
  /// removes a file that can be opened; only between looking at a pipe and removing it may it become one. The
  /// process that holds the lock of a file that was removed notices by `FileLock.isLinked`.
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
    // Both calls fail for what is no directory: for the second, the slash says that it must be one.
    if rmdir(path) == 0 { return }
    let newPath = "\(path).set-aside-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    do throws(DiskCacheError) {
      try rename(path + "/", to: newPath)
    } catch {
      guard [ENOTDIR, ENOENT].contains(error.code) else { throw error }
    }
  }

  /// Makes a file one that this user may open, or removes it.
  private func open(_ path: String, with status: stat) throws(DiskCacheError) {
    let user = geteuid()
    if Self.mayOpen(path) { return }
    let mode = status.st_mode & 0o777 | 0o600
    // The flag: if a link has taken the file's place, what it leads to keeps its permissions.
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
