import OzuHTTP
import OzuSynchronization

/// Operations on all stores, and hints.
extension ImageCaches {
  /// Whether a level may have the list of variants of a source. Never waits; for any thread.
  func mayHaveVariants(of source: CacheKey) -> Bool { stores.mayContain(ImageStoreKey(.variants, source)) }

  /// Whether a level may have the beginning of an original. Never waits.
  func mayHavePartial(for key: HTTPCacheKey) -> Bool {
    stores.mayContain(ImageStoreKey(.partial, ResponseStore.storeKey(key)))
  }

  /// Empties all levels. A level that is read-only for this process is left unchanged, which is reported.
  func emptyStores() {
    stores.removeAll(of: nil)
  }

  /// Returns when the further levels have written what waits for them, or after a time limit, because a level may
  /// never answer.
  ///
  /// - Parameter sleep: waits for the given duration.
  func flushFurther(sleep: @escaping @Sendable (Duration) async throws -> Void) async {
    guard !stores.further.isEmpty else { return }
    let timer = Mutex<Task<Void, Never>?>(nil)
    await withCheckedContinuation { continuation in
      let end = SingleResumption(continuation)
      timer.withLock { timer in
        timer = Task {
          try? await sleep(Self.flushLimit)
          end.resume()
        }
      }
      stores.flushFurther { end.resume() }
    }
    timer.withLock { $0?.cancel() }
  }

  private static let flushLimit = Duration.seconds(10)
}

/// Resumes a continuation once, at the first of several calls.
private final class SingleResumption: Sendable {
  private let continuation: Mutex<CheckedContinuation<Void, Never>?>

  init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = Mutex(continuation) }

  func resume() {
    let waiter = continuation.withLock { continuation in
      defer { continuation = nil }
      return continuation
    }
    waiter?.resume()
  }
}
