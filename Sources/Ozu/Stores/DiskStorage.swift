import Foundation

/// Where a pipeline keeps originals and renditions on disk.
public enum DiskStorage: Sendable {
  /// Nowhere.
  case none
  /// In a folder of its own, created if missing, with a limit in bytes.
  case folder(URL, capacity: Int)
  /// In a cache that the app opens itself. The closure is called once, when the cache is first needed: on one of the
  /// pipeline's disk threads, or on a thread that reads `ImagePipeline.diskCache`. It is called outside all locks;
  /// the pipeline has no disk cache until it returns.
  case opening(@Sendable () throws(DiskCacheError) -> DiskCache)

  /// 512 MB in the user's cache folder, below the name of the running program.
  public static var standard: DiskStorage {
    .folder(standardFolder(for: ProcessInfo.processInfo.processName), capacity: standardCapacity)
  }

  /// 512 MB.
  public static let standardCapacity = 512 << 20

  /// The folder for a program's images in the user's cache folder: `$XDG_CACHE_HOME/<name>/images` or
  /// `~/.cache/<name>/images` on Linux, `~/Library/Caches/<name>/images` on Apple platforms; the temporary folder
  /// where a user has none.
  public static func standardFolder(for program: String) -> URL {
    let base =
      FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    return base.appending(path: program).appending(path: "images")
  }
}
