import OzuBase
import OzuTesting

/// Records the bytes of a cache's files at each call of the file system, and can end the process at one of the calls.
final class FileSystemWatch: Sendable {
  private let state = Synchronization.Mutex((fuse: Int?.none, largestExcess: Int.min))

  /// Sets the number of calls until the process ends.
  func setFuse(_ count: Int?) { state.withLock { $0.fuse = count } }
  /// The most bytes by which the files exceeded the capacity.
  var largestExcess: Int { state.withLock { $0.largestExcess } }

  /// Begins to record the bytes of the files.
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
