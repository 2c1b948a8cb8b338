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
  private let hasSwept = Mutex(false)
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
  func open() -> HTTPSpoolFile? {
    guard let directory = directory() else { return nil }
    let isFirst = hasSwept.withLock { hasSwept in
      defer { hasSwept = true }
      return !hasSwept
    }
    if isFirst { HTTPSpoolFile.sweep(directory: directory) }
    guard let file = try? HTTPSpoolFile(directory: directory) else { return nil }
    openFiles.add(1, ordering: .relaxed)
    return file
  }

  /// Notes that a file made by `open` is done with.
  func noteClosed() {
    openFiles.subtract(1, ordering: .relaxed)
  }
}
