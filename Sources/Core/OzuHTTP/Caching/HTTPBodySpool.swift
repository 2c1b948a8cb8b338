import Dispatch
import OzuBase

/// Writes the large bodies of a cache: one thread, which may wait for a disk for any time.
///
/// All bodies of a cache share the thread. Each has a limit of its own on the bytes that wait (`HTTPSpooledBody`).
/// So with many bodies the origins are slowed down instead of memory being used.
final class HTTPBodySpool: Sendable {
  let threshold: Int
  let memory: HTTPBodyMemory
  private let directory: @Sendable () -> String?
  private let queue = DispatchQueue(label: "ozu.spool")
  /// The files that killed processes left, by the digest of the key; nil until the folder was searched.
  private let left = Mutex<[String: [String]]?>(nil)
  private let openFiles = Atomic(0)

  /// - Parameters:
  ///   - memoryByteCount: the memory that bodies above the threshold share.
  ///   - directory: called on the writer's thread, where it may block.
  init(threshold: Int, memoryByteCount: Int = 0, directory: @escaping @Sendable () -> String?) {
    self.threshold = threshold
    memory = HTTPBodyMemory(byteCount: memoryByteCount)
    self.directory = directory
  }

  /// The number of files that are being written.
  var openFileCount: Int { openFiles.load(ordering: .relaxed) }

  /// Runs work on the writer's thread, in order.
  func enqueue(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Makes a file, on the writer's thread. Nil if that is not possible. Each file must be followed by `noteClosed`.
  ///
  /// - Parameter beginning: what the file contains for another process, if this one is killed.
  func open(_ beginning: HTTPPartialBodyRecord?) -> HTTPSpoolFile? {
    guard let directory = directory() else { return nil }
    lookAround(directory)
    guard let file = try? HTTPSpoolFile(directory: directory, beginning: beginning) else { return nil }
    openFiles.add(1, ordering: .relaxed)
    return file
  }

  // Once, on the writer's thread, before this process makes its first file: so none of its own files is found.
  private func lookAround(_ directory: String?) {
    guard left.withLock({ $0 == nil }) else { return }
    let found = directory.map { HTTPSpoolFile.sweep(directory: $0) } ?? [:]
    left.withLock { $0 = found }
  }

  /// Whether a killed process may have left something. Nearly always false.
  var mayHaveLeft: Bool { left.withLock { $0?.isEmpty != true } }

  /// Takes over the beginning of a body that a killed process left; nil if there is none.
  func takeLeft(for key: HTTPCacheKey) async -> HTTPOrphanedBody? {
    let digest = HTTPPartialBodyRecord.digest(of: key)
    // Avoids waiting for the writer's thread if there is nothing.
    if left.withLock({ $0.map { $0[digest] == nil } ?? false }) { return nil }
    return await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.takeLeftNow(digest)) }
    }
  }

  private func takeLeftNow(_ digest: String) -> HTTPOrphanedBody? {
    lookAround(directory())
    let paths = left.withLock { $0?.removeValue(forKey: digest) } ?? []
    let found = paths.compactMap { HTTPOrphanedBody(path: $0) }
    let best = found.max { $0.partial.isWorse(than: $1.partial) }
    for other in found where other !== best { other.remove() }
    return best
  }

  /// Records that a file made by `open` is closed.
  func noteClosed() {
    openFiles.subtract(1, ordering: .relaxed)
  }
}
