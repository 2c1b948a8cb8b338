/// Which bodies are kept in files instead of memory while they are under way, and where.
///
/// Such a body is written as it comes, by a thread of its own; when the disk is slower than the network the transfer
/// is held up, so that never more than about a megabyte of it waits in memory (over HTTP/2 libcurl may hold another 32 MB
/// of a stream, its window). Afterwards it is handed over as `Data`
/// that is mapped from the file. The files have no names: they are gone when the last `Data` is, or the process. Where
/// no file can be had (a full disk, a folder that is missing or must not be written) the body stays in memory.
public struct HTTPSpoolingConfiguration: Sendable, Hashable {
  /// The largest body kept in memory, in bytes. 8 MB. `Int.max` keeps all of them there.
  public var threshold: Int
  /// The folder for the files; nil, the default, for that of the cache's storage. Without either, bodies stay in
  /// memory.
  public var directory: String?

  /// Makes a configuration.
  public init(threshold: Int = 8 << 20, directory: String? = nil) {
    self.threshold = max(0, threshold)
    self.directory = directory
  }
}
