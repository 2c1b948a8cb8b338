/// Which bodies are kept in files instead of memory while they arrive, and where.
///
/// A thread of its own writes such a body while it arrives. If the disk is slower than the network, the transfer is
/// slowed down, so that at most about a megabyte waits in memory (over HTTP/2, libcurl may hold another 32 MB of a
/// stream, its window). The complete body is `Data` that is mapped from the file. The files have no names: they
/// disappear with the last `Data` or with the process. Only the file of a body that can be resumed has a name while
/// it arrives, for the next process (`partialBodyDelay`). If no file can be made, because the disk is full or the
/// folder is missing or read-only, the body stays in memory.
public struct HTTPSpoolingConfiguration: Sendable, Hashable {
  /// The largest body that is kept in memory, in bytes. Default: 8 MB. `Int.max` keeps all bodies in memory.
  public var threshold: Int
  /// The folder for the files. Nil, the default, uses the folder of the cache's storage. Without a folder, bodies
  /// stay in memory.
  public var directory: String?

  /// After this time a smaller body goes to a file too, if it can be resumed. Default: one second.
  ///
  /// The file of such a body has a name while it arrives. If the process is killed, the next process continues from
  /// there; at most the bytes of this time are lost.
  public var partialBodyDelay: Duration

  /// Makes a configuration.
  public init(threshold: Int = 8 << 20, directory: String? = nil, partialBodyDelay: Duration = .seconds(1)) {
    self.threshold = max(0, threshold)
    self.directory = directory
    self.partialBodyDelay = partialBodyDelay
  }

  /// Removes the beginnings of bodies that killed processes left in a folder, for callers that empty a cache there.
  /// Files that are being written stay. Blocks.
  public static func removePartialBodies(in directory: String) {
    _ = HTTPSpoolFile.sweep(directory: directory, now: .distantFuture)
  }
}
