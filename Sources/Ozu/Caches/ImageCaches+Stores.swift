import OzuHTTP
import OzuSynchronization

/// Operations on all stores, and hints.
extension ImageCaches {
  /// The value of a key in the first level. An entry that cannot be read is removed there.
  func first<Value>(_ key: ImageStoreKey, _ read: (ImageStoreEntry) -> Value?) -> Value? {
    guard let entry = stores.readFirst(ImageStoreEntry.self, key) else { return nil }
    if let value = read(entry) { return value }
    stores.remove(ImageStoreEntry.self, key, .first)
    return nil
  }

  /// The value of a key in the further levels. An entry that cannot be read stays there, because another release may
  /// be able to read it.
  func further<Value>(
    _ key: ImageStoreKey, _ reach: StoreChain.Reach, _ read: (ImageStoreEntry) -> Value?
  ) -> Value? {
    var value: Value?
    _ = stores.readFurther(ImageStoreEntry.self, key, reach) { entry in
      value = read(entry)
      return value != nil
    }
    return value
  }

  /// Whether a level may have the list of variants of a source. Never waits; for any thread.
  func mayHaveVariants(of source: CacheKey) -> Bool { stores.mayContain(ImageStoreKey(.variants, source)) }

  /// Whether a level may have the rendition of a request. Never waits.
  func mayHaveRendition(for request: ImageRequest) -> Bool {
    stores.mayContain(ImageStoreKey(request.renditionKind, request.key.rendition), request.source.reach)
  }

  /// Whether a level may have the original of a request. Never waits.
  func mayHaveOriginal(for request: ImageRequest) -> Bool {
    stores.mayContain(ImageStoreKey(.original, request.key.source), request.source.reach)
  }

  /// Whether a level may have the beginning of an original. Never waits.
  func mayHavePartial(for key: HTTPCacheKey) -> Bool {
    stores.mayContain(ImageStoreKey(.partial, ResponseStore.storeKey(key)))
  }

  /// Counts a miss for a rendition that a hint has excluded.
  func noteAbsence(of request: ImageRequest) {
    events.lookedUp(.rendition, found: nil, of: request.source.name, for: request)
  }

  /// Counts a miss for an original that a hint has excluded.
  func noteAbsence(ofOriginal request: ImageRequest) {
    events.lookedUp(.original, found: nil, of: Redaction.text(request.sourceKey))
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
