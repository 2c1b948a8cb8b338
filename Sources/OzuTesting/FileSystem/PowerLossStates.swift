#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The states that a disk may be in after a loss of power, by a log of what was done to it.
///
/// The model is that of ALICE (Pillai et al., OSDI 2014) and CrashMonkey (Mohan et al., OSDI 2018), the device being the
/// least helpful that a system call allows:
///
/// - What was synchronized is there: of a file its bytes and its length, of a directory its names.
/// - Of anything else, any part is there, in any order. Each sector of 512 bytes has what one of the writes since the last
///   synchronization left in it, or what was there before. A file has a length that it had since then; bytes in it
///   that were never written are zeros. So a write of several sectors may be torn, and a length known without the data.
/// - Each name that was made, removed or changed is as before or as after, independently of others and of the file's bytes.
///   A rename is done or not: the old and the new name change together.
public struct PowerLossStates: Sequence {
  let log: FileSystemLog
  let prefixes: Set<Int>
  let samplesPerPrefix: Int
  let seed: UInt64

  /// The states, those of short prefixes first.
  public func makeIterator() -> Iterator { Iterator(self) }

  /// Goes through the log once, and makes each state when it is asked for.
  public struct Iterator: IteratorProtocol {
    private let states: PowerLossStates
    private var disk: UnsyncedDisk
    private var operationCount = 0
    private var nextOfPrefix = 0

    init(_ states: PowerLossStates) {
      self.states = states
      disk = UnsyncedDisk(states.log)
    }

    /// The next state; nil at the end.
    public mutating func next() -> PowerLossState? {
      let operations = states.log.operations
      while !states.prefixes.contains(operationCount) || nextOfPrefix == states.samplesPerPrefix + 3 {
        guard operationCount < operations.count else { return nil }
        disk.apply(operations[operationCount])
        operationCount += 1
        nextOfPrefix = 0
      }
      defer { nextOfPrefix += 1 }
      let kind: PowerLossState.Kind
      let contents: [String: Data]
      switch nextOfPrefix {
      case 0: (kind, contents) = (.everything, disk.everything)
      case 1: (kind, contents) = (.synchronizedOnly, disk.synchronizedOnly)
      case 2: (kind, contents) = (.namesOnly, disk.namesOnly)
      default:
        kind = .sample(nextOfPrefix - 3)
        // One generator for each sample: it depends on no other.
        var random = SeededGenerator(
          seed: states.seed ^ UInt64(operationCount) << 32 ^ UInt64(nextOfPrefix) << 16)
        contents = disk.sample(using: &random)
      }
      return PowerLossState(
        operationCount: operationCount, kind: kind, directories: disk.directories, contents: contents)
    }
  }
}

/// A disk after a loss of power.
public struct PowerLossState: Sendable, CustomStringConvertible {
  /// What was kept of what was not synchronized.
  public enum Kind: Hashable, Sendable {
    /// All of it. So is a disk after a process died and the system went on.
    case everything
    /// Nothing.
    case synchronizedOnly
    /// All names, and of the files nothing that was not synchronized, not even their lengths.
    case namesOnly
    /// Random parts; the number of the sample.
    case sample(Int)
  }

  /// The operations of the log that were begun before power went.
  public let operationCount: Int
  /// What was kept of what was not synchronized.
  public let kind: Kind
  /// The directories.
  public let directories: Set<String>
  /// The bytes of each file.
  public let contents: [String: Data]

  /// The disk when the system runs again.
  ///
  /// - Parameter recordsChanges: Whether it keeps a log of its own, for a second loss of power.
  public func fileSystem(recordsChanges: Bool = false) -> MemoryFileSystem {
    MemoryFileSystem(directories: directories, contents: contents, recordsChanges: recordsChanges)
  }

  /// Says which state it is.
  public var description: String {
    switch kind {
    case .everything: "\(operationCount) operations, all kept"
    case .synchronizedOnly: "\(operationCount) operations, only what was synchronized"
    case .namesOnly: "\(operationCount) operations, all names but only the bytes that were synchronized"
    case .sample(let number): "\(operationCount) operations, sample \(number)"
    }
  }
}
