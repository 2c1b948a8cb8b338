import Dispatch
import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The writer of a cache's large bodies: one thread, which may wait for a disk as long as it likes.
///
/// All bodies of a cache share it. Each has its own bound on what waits for it (`HTTPSpooledBody`), so that with many
/// of them the origins are slowed and not memory used.
final class HTTPBodySpool: Sendable {
  let threshold: Int
  private let directory: @Sendable () -> String?
  private let queue = DispatchQueue(label: "ozu.spool")
  /// What killed processes have left, by the digest of its key; nil until somebody has looked.
  private let left = Mutex<[String: [String]]?>(nil)
  private let openFiles = Atomic(0)

  /// - Parameter directory: asked on the writer's thread, where it may take its time.
  init(threshold: Int, directory: @escaping @Sendable () -> String?) {
    self.threshold = threshold
    self.directory = directory
  }

  /// How many files are being written.
  var openFileCount: Int { openFiles.load(ordering: .relaxed) }

  /// Has work done on the writer's thread, in order.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Makes a file, on the writer's thread; nil where there is none to be had. `close` gives it back.
  ///
  /// - Parameter beginning: what the file is left for, if the process is killed.
  func open(_ beginning: HTTPBeginning?) -> HTTPSpoolFile? {
    guard let directory = directory() else { return nil }
    lookAround(directory)
    guard let file = try? HTTPSpoolFile(directory: directory, beginning: beginning) else { return nil }
    openFiles.add(1, ordering: .relaxed)
    return file
  }

  // Once, on the writer's thread: before the first file of this process is made, so that none of its own is found.
  private func lookAround(_ directory: String?) {
    guard left.withLock({ $0 == nil }) else { return }
    let found = directory.map { HTTPSpoolFile.sweep(directory: $0) } ?? [:]
    left.withLock { $0 = found }
  }

  /// Whether a process that was killed may have left something. Nearly always nothing is there.
  var mayHaveLeft: Bool { left.withLock { $0?.isEmpty != true } }

  /// Takes what a process that was killed has left of a body; nil when there is nothing.
  func takeLeft(for key: HTTPCacheKey) async -> HTTPLeftBeginning? {
    let digest = HTTPBeginning.digest(of: key)
    // Nobody waits for the writer's thread in vain.
    if left.withLock({ $0.map { $0[digest] == nil } ?? false }) { return nil }
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.takeLeftNow(digest)) }
    }
  }

  private func takeLeftNow(_ digest: String) -> HTTPLeftBeginning? {
    lookAround(directory())
    let paths = left.withLock { $0?.removeValue(forKey: digest) } ?? []
    let found = paths.compactMap { HTTPLeftBeginning(path: $0) }
    let best = found.max { $0.partial.isWorse(than: $1.partial) }
    for other in found where other !== best { other.remove() }
    return best
  }

  /// Notes that a file made by `open` is done with.
  func noteClosed() {
    openFiles.subtract(1, ordering: .relaxed)
  }
}
