#if canImport(Glibc)
  import OzuBase
#elseif canImport(Darwin)
  import Darwin
#endif

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
