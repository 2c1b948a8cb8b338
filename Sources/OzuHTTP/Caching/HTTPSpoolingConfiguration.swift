/// Which bodies are kept in files instead of memory while they are under way, and where.
///
/// Such a body is written as it comes, by a thread of its own; when the disk is slower than the network the transfer
/// is held up, so that never more than about a megabyte of it waits in memory (over HTTP/2 libcurl may hold another 32 MB
/// of a stream, its window). Afterwards it is handed over as `Data` that is mapped from the file. The files have no names:
/// they are gone when the last `Data` is, or the process. Only that of a body that can be resumed has one while it comes,
/// for the next process (`beginningDelay`). Where no file can be had (a full disk, a folder that is missing or must not be written) the body stays in memory.
public struct HTTPSpoolingConfiguration: Sendable, Hashable {
  /// The largest body kept in memory, in bytes. 8 MB. `Int.max` keeps all of them there.
  public var threshold: Int
  /// The folder for the files; nil, the default, for that of the cache's storage. Without either, bodies stay in
  /// memory.
  public var directory: String?

  /// After how long a smaller body goes to a file too, if it can be resumed. A second.
  ///
  /// The file of a body that can be resumed has a name while it comes. A process that is killed leaves it, and the next one
  /// goes on from there: at most the bytes of this time are lost.
  public var beginningDelay: Duration

  /// Makes a configuration.
  public init(threshold: Int = 8 << 20, directory: String? = nil, beginningDelay: Duration = .seconds(1)) {
    self.threshold = max(0, threshold)
    self.directory = directory
    self.beginningDelay = beginningDelay
  }

  /// Removes what killed processes have left of bodies in a folder: for who empties the cache there. Files that are being
  /// written stay. Blocks.
  public static func removeBeginnings(in directory: String) {
    _ = HTTPSpoolFile.sweep(directory: directory, now: .distantFuture)
  }
}
