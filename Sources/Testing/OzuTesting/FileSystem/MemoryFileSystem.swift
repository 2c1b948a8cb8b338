import OzuBase
import OzuCaching

/// A file system in memory that fails, writes only parts and crashes when a test asks for it.
///
/// ```swift
/// let files = MemoryFileSystem()
/// files.respond = { call in call.operation == .write ? .fail(ENOSPC) : .proceed }
/// ```
///
/// Every call is numbered and passed to `respond` before it is done, outside every lock: a `respond` that waits delays
/// that call and no other. After a crash every call fails with `EIO` until `restart(losing:)`, which is the next boot:
/// locks are free, and changes that were not synchronized may be lost. Handles from before the crash do not work again.
///
/// With `recordsChanges` it keeps a `log` of all changes, which makes the states that a disk may have after a loss of
/// power.
public final class MemoryFileSystem: FileSystem {
  /// A call that is about to be done.
  public struct Call: Hashable, Sendable {
    /// Its number, from zero, since the file system was made.
    public let number: Int
    /// The operation. Reads count too.
    public let operation: DiskCacheError.Operation
    /// The file or directory.
    public let path: String
    /// The bytes to be written; zero for other calls.
    public let byteCount: Int
  }

  /// The outcome of a call.
  public enum Response: Hashable, Sendable {
    /// It is done.
    case proceed
    /// It fails with this error number, and nothing is done.
    case fail(Int32)
    /// A write that writes this many bytes and then fails with the error number, as on a full disk.
    case stop(after: Int, Int32)
    /// The machine or process dies: before the call, or in a write after this many bytes.
    case crash(after: Int)
  }

  /// The changes that a restart after a crash loses.
  public enum Loss: Hashable, Sendable {
    /// No changes: the process died, and the system went on.
    case nothing
    /// All changes since the last synchronization: power was lost.
    case unsynchronized
  }

  /// The bytes of a file, shared by its names and handles.
  final class Node: Sendable {
    struct Content {
      var bytes = Data()
      var synchronized = Data()
      var linkCount = 1
    }
    /// Its number in the log.
    let number: Int
    let content: Mutex<Content>

    init(number: Int, bytes: Data = Data()) {
      self.number = number
      content = Mutex(Content(bytes: bytes, synchronized: bytes))
    }
  }

  struct State {
    var files: [String: Node] = [:]
    var synchronizedFiles: [String: Node] = [:]
    var directories: Set<String> = ["/"]
    var locks: [ObjectIdentifier: Int] = [:]
    var generation = 0
    var hasCrashed = false
    var callCount = 0
    var nodeCount = 0
    var respond: @Sendable (Call) -> Response = { _ in .proceed }
    var onStatus: @Sendable () -> Void = {}

    mutating func makeNode(bytes: Data = Data()) -> Node {
      defer { nodeCount += 1 }
      return Node(number: nodeCount, bytes: bytes)
    }
  }

  let state: Mutex<State>
  /// Nil unless changes are recorded. This lock is taken last, under `state` or under the lock of a file's content.
  private let changes: Mutex<FileSystemLog?>

  /// A file system with these directories and files, all of them synchronized; empty by default.
  ///
  /// - Parameter recordsChanges: Whether `log` gets all changes.
  public init(
    directories: Set<String> = [], contents: [String: Data] = [:], recordsChanges: Bool = false
  ) {
    var state = State()
    state.directories.formUnion(directories)
    for (path, bytes) in contents.sorted(by: { $0.key < $1.key }) {
      state.files[path] = state.makeNode(bytes: bytes)
      state.directories.insert(Self.parent(of: path))
    }
    state.synchronizedFiles = state.files
    changes = Mutex(
      recordsChanges
        ? FileSystemLog(directories: state.directories, contents: contents, files: state.files) : nil)
    self.state = Mutex(state)
  }

  /// The changes since the file system was made; nil unless it records them. Those by `setContents` and `removeTree` are
  /// not in it.
  public var log: FileSystemLog? { changes.withLock { $0 } }

  /// The number of operations in `log` so far; zero without a log.
  public var changeCount: Int { changes.withLock { $0?.operations.count ?? 0 } }

  /// Adds to the log. Called under the lock that orders the operation among others on the same file or name.
  func record(_ operation: @autoclosure () -> FileSystemLog.Operation) {
    changes.withLock { changes in
      if changes != nil { changes?.operations.append(operation()) }
    }
  }

  /// Decides the outcome of each call. Default: it is done.
  public var respond: @Sendable (Call) -> Response {
    get { state.withLock { $0.respond } }
    set { state.withLock { $0.respond = newValue } }
  }

  /// Called when an open file or a lock is asked whether it is linked, which is a call of the system too. It cannot fail and is not
  /// numbered. Default: nothing.
  public var onStatus: @Sendable () -> Void {
    get { state.withLock { $0.onStatus } }
    set { state.withLock { $0.onStatus = newValue } }
  }

  func isLinked(_ node: Node) -> Bool {
    onStatus()
    return node.content.withLock { $0.linkCount > 0 }
  }

  /// The calls so far.
  public var callCount: Int { state.withLock { $0.callCount } }

  /// Whether a crash happened, and no restart since then.
  public var hasCrashed: Bool { state.withLock { $0.hasCrashed } }

  /// Makes every call fail from now on.
  public func crash() {
    state.withLock { $0.hasCrashed = true }
  }

  /// Boots again: calls work, old handles do not, locks are free, and `respond` is removed.
  public func restart(losing loss: Loss) {
    state.withLock { state in
      state.hasCrashed = false
      state.generation += 1
      state.locks = [:]
      state.respond = { _ in .proceed }
      guard loss == .unsynchronized else { return }
      state.files = state.synchronizedFiles
      for node in state.files.values {
        node.content.withLock { $0.bytes = $0.synchronized }
      }
    }
  }

  // MARK: Access without `respond`

  /// The paths of all files, sorted.
  public var paths: [String] { state.withLock { $0.files.keys.sorted() } }

  /// The bytes of all files together.
  public var byteCount: Int {
    state.withLock { $0.files.values.reduce(0) { $0 + $1.content.withLock { $0.bytes.count } } }
  }

  /// The bytes of a file; nil if there is none.
  public func contents(of path: String) -> Data? {
    state.withLock { $0.files[path] }?.content.withLock { $0.bytes }
  }

  /// Replaces the bytes of a file, also for handles that are open, or makes the file.
  public func setContents(of path: String, to bytes: Data) {
    state.withLock { state in
      let node = state.files[path] ?? state.makeNode()
      state.files[path] = node
      node.content.withLock { $0.bytes = bytes }
    }
  }

  /// Removes a directory with all that is in it, as `rm -r` does.
  public func removeTree(_ directory: String) {
    state.withLock { state in
      for (path, node) in state.files where path.hasPrefix(directory + "/") {
        node.content.withLock { $0.linkCount = 0 }
        state.files[path] = nil
      }
      state.directories = state.directories.filter { $0 != directory && !$0.hasPrefix(directory + "/") }
    }
  }

  // MARK: Inside

  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// Numbers a call and carries out the outcome that `respond` gives. Returns the number of bytes that a write may write, and
  /// the error that follows.
  @discardableResult
  func begin(
    _ operation: DiskCacheError.Operation, _ path: String, byteCount: Int = 0, generation: Int? = nil
  ) throws(DiskCacheError) -> (byteCount: Int, failure: DiskCacheError?) {
    let (call, respond) = state.withLock { state -> (Call?, @Sendable (Call) -> Response) in
      if state.hasCrashed || (generation ?? state.generation) != state.generation {
        return (nil, state.respond)
      }
      defer { state.callCount += 1 }
      let call = Call(number: state.callCount, operation: operation, path: path, byteCount: byteCount)
      return (call, state.respond)
    }
    guard let call else { throw DiskCacheError(operation, path: path, code: EIO) }
    switch respond(call) {
    case .proceed:
      return (byteCount, nil)
    case .fail(let code):
      throw DiskCacheError(operation, path: path, code: code, writing: operation == .write ? byteCount : nil)
    case .stop(let count, let code):
      return (
        min(count, byteCount), DiskCacheError(operation, path: path, code: code, writing: byteCount)
      )
    case .crash(let count):
      crash()
      let failure = DiskCacheError(operation, path: path, code: EIO)
      if operation != .write { throw failure }
      return (min(count, byteCount), failure)
    }
  }
}
