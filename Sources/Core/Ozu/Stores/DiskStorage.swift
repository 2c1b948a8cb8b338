import OzuBase

/// Where a pipeline keeps originals and renditions on disk.
public enum DiskStorage: Sendable {
  /// Nowhere.
  case none
  /// In a folder of its own, created if missing, with a limit in bytes.
  case folder(URL, capacity: Int)
  /// In a cache that the app opens itself. The closure is called once, when the cache is first needed: on one of the
  /// pipeline's disk threads, or on a thread that reads `ImagePipeline.diskCache`. It is called outside all locks;
  /// the pipeline has no disk cache until it returns. If it fails for want of descriptors or memory (`EMFILE`, `ENFILE`, `ENOMEM`), it is
  /// called again after some seconds, on a thread for which nobody waits.
  case opening(@Sendable () throws(DiskCacheError) -> DiskCache)

  /// 512 MB in the user's cache folder, below the name of the running program.
  public static var standard: DiskStorage {
    .folder(standardFolder(for: ProcessInfo.processInfo.processName), capacity: standardCapacity)
  }

  /// 512 MB.
  public static let standardCapacity = 512 << 20

  /// The folder for a program's images in the user's cache folder: `$XDG_CACHE_HOME/<name>/images` or
  /// `~/.cache/<name>/images` on Linux, `~/Library/Caches/<name>/images` on Apple platforms.
  ///
  /// On Linux a variable that is unset, empty or a relative path does not count. If neither names a folder, as for services without a
  /// home, it is `ozu-<user id>/<name>/images` in the temporary folder. `ozu-<user id>` is made now, for this user alone (mode 0700).
  /// If something else has that name, or another user owns it, a new folder is made that only this process uses.
  public static func standardFolder(for program: String) -> URL {
    #if os(Linux) && !OZU_CHECK_APPLE
      let base = cacheFolder(
        of: ProcessInfo.processInfo.environment, in: FileManager.default.temporaryDirectory.path)
      return URL(filePath: base, directoryHint: .isDirectory).appending(path: program).appending(
        path: "images")
    #else
      let base =
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        ?? FileManager.default.temporaryDirectory
      return base.appending(path: program).appending(path: "images")
    #endif
  }

  /// The cache folder of the user, by the variables of a process (XDG Base Directory Specification).
  package static func cacheFolder(of environment: [String: String], in temporaryFolder: String) -> String {
    if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") { return cache }
    if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.cache" }
    return privateFolder(in: temporaryFolder)
  }

  /// A folder that only this user can enter, in the temporary folder. Made if missing.
  static var temporaryFolder: String { privateFolder(in: FileManager.default.temporaryDirectory.path) }

  /// A folder that only this user can enter, in a folder where everybody can write.
  private static func privateFolder(in temporaryFolder: String) -> String {
    let path = "\(temporaryFolder)/ozu-\(geteuid())"
    if mkdir(path, 0o700) == 0 { return path }
    var status = stat()
    // `lstat`: a link would lead to a folder of another user's choice.
    let isOwn =
      lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
    return isOwn ? path : ownFolder(in: temporaryFolder)
  }

  /// A new folder for this process, the same at each call.
  private static func ownFolder(in temporaryFolder: String) -> String {
    ownFolders.withLock { folders in
      if let known = folders[temporaryFolder] { return known }
      var template = Array("\(temporaryFolder)/ozu-XXXXXX".utf8CString)
      let path = mkdtemp(&template).map { String(cString: $0) } ?? "\(temporaryFolder)/ozu-none"
      folders[temporaryFolder] = path
      return path
    }
  }

  private static let ownFolders = Mutex<[String: String]>([:])
}
