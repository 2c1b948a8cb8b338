import OzuBase

/// The states that a disk may have after a loss of power, made from the log of its changes.
///
/// The model is that of ALICE (Pillai et al., OSDI 2014) and CrashMonkey (Mohan et al., OSDI 2018), with the least
/// guarantees that a system call allows:
///
/// - Synchronized changes are kept: the bytes and the length of a file, the names of a directory.
/// - Of the other changes any part is kept, in any order. Each sector of 512 bytes has the content after one of the writes
///   since the last synchronization, or the content before them. A file has one of its lengths since then; bytes that were
///   never written are zeros. So a write of several sectors may be torn, and a length may be kept without its data.
/// - Each name that was made, removed or changed is as before or as after, independently of other names and of the file's
///   bytes. A rename is done or not: the old and the new name change together.
public struct PowerLossStates: Sequence {
  let log: FileSystemLog
  let prefixes: Set<Int>
  let samplesPerPrefix: Int
  let seed: UInt64

  /// The states, in the order of their prefixes, the shortest first.
  public func makeIterator() -> Iterator { Iterator(self) }

  /// Goes through the log once, and makes each state when `next()` is called.
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
  /// The part of the unsynchronized changes that was kept.
  public enum Kind: Hashable, Sendable {
    /// All of them, as after the death of a process.
    case everything
    /// None of them.
    case synchronizedOnly
    /// All names, but no bytes and no lengths that were not synchronized.
    case namesOnly
    /// Random parts; the number of the sample.
    case sample(Int)
  }

  /// The number of operations of the log that were begun before power was lost.
  public let operationCount: Int
  /// The part of the unsynchronized changes that was kept.
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

  /// The number of operations and the kind.
  public var description: String {
    switch kind {
    case .everything: "\(operationCount) operations, all kept"
    case .synchronizedOnly: "\(operationCount) operations, only what was synchronized"
    case .namesOnly: "\(operationCount) operations, all names but only the bytes that were synchronized"
    case .sample(let number): "\(operationCount) operations, sample \(number)"
    }
  }
}
