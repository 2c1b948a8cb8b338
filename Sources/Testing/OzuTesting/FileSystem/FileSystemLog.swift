import OzuBase

/// The changes to a file system in their order. From them it makes the states that a disk may have after a loss of power.
///
/// ```swift
/// let files = MemoryFileSystem(recordsChanges: true)
/// // … open a cache with `fileSystem: files`, store, flush …
/// for state in files.log!.states(samplesPerPrefix: 3, seed: 1) {
///   let cache = try DiskCache(
///     directory: "/cache", configuration: DiskCacheConfiguration(fileSystem: state.fileSystem()))
///   // … nothing torn is served, nothing flushed is missing …
/// }
/// ```
public struct FileSystemLog: Sendable {
  /// One change. A file has a number, because its name may be changed or removed.
  public enum Operation: Sendable {
    /// A directory was made. It is durable immediately (`FileSystem.makeDirectory`).
    case makeDirectory(String)
    /// A new file got a name.
    case create(String, file: Int)
    /// Bytes were written.
    case write(Data, at: Int, file: Int)
    /// A file was truncated.
    case truncate(to: Int, file: Int)
    /// A file lost its name.
    case remove(String)
    /// A file got another name, and a file that had that name lost it.
    case rename(String, to: String, file: Int)
    /// The bytes and the length of a file were forced to the device.
    case synchronize(file: Int)
    /// The names in a directory were forced to the device.
    case synchronizeDirectory(String)
  }

  /// The changes, oldest first.
  public internal(set) var operations: [Operation] = []

  /// The disk before the first change.
  let directories: Set<String>
  let contents: [String: Data]
  let numbers: [String: Int]

  init(directories: Set<String>, contents: [String: Data], files: [String: MemoryFileSystem.Node]) {
    self.directories = directories
    self.contents = contents
    numbers = files.mapValues(\.number)
  }

  /// States of the disk after power was lost at some operation: for each prefix of the operations, the state with
  /// everything in it, the state with nothing that was not synchronized, that with all names but no such bytes, and
  /// random ones.
  ///
  /// - Parameters:
  ///   - prefixes: The numbers of operations that were begun when power was lost; all by default.
  ///   - samplesPerPrefix: The number of random states for each prefix.
  ///   - seed: The seed of the random states. A log and a seed give the same states every time; a sample does not depend
  ///     on the other prefixes.
  public func states(
    ofPrefixes prefixes: some Sequence<Int>, samplesPerPrefix: Int, seed: UInt64
  ) -> PowerLossStates {
    PowerLossStates(log: self, prefixes: Set(prefixes), samplesPerPrefix: samplesPerPrefix, seed: seed)
  }

  /// States of the disk after power was lost at any operation.
  public func states(samplesPerPrefix: Int, seed: UInt64) -> PowerLossStates {
    states(ofPrefixes: 0...operations.count, samplesPerPrefix: samplesPerPrefix, seed: seed)
  }
}
