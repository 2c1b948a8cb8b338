import OzuSynchronization
import OzuTesting

/// Notes how many bytes the files of a cache have at each call of the file system, and lets the process die at one.
final class FileSystemWatch: Sendable {
  private let state = Synchronization.Mutex((fuse: Int?.none, largestExcess: Int.min))

  /// Calls until the process dies.
  func setFuse(_ count: Int?) { state.withLock { $0.fuse = count } }
  /// The bytes by which the files exceeded the capacity at most.
  var largestExcess: Int { state.withLock { $0.largestExcess } }

  /// Notes how many bytes the files have at every call, and lets the process die at one.
  func begin(_ files: MemoryFileSystem, capacity: Int) {
    files.respond = { [unowned files] call in
      let excess = files.byteCount - capacity
      return self.state.withLock { state in
        state.largestExcess = max(state.largestExcess, excess)
        guard let rest = state.fuse else { return .proceed }
        state.fuse = rest - 1
        // A word of a few bytes is written or not.
        return rest == 0 ? .crash(after: call.byteCount < 16 ? 0 : call.byteCount / 2) : .proceed
      }
    }
  }
}
