import OzuHTTP
import OzuSynchronization

/// The levels of storage as a whole.
extension ImageCaches {
  /// What the first level has under a key, as it is read. An entry that cannot be read is removed there.
  func first<Value>(_ key: ImageStoreKey, _ read: (ImageStoreEntry) -> Value?) -> Value? {
    guard let entry = stores.readFirst(ImageStoreEntry.self, key) else { return nil }
    if let value = read(entry) { return value }
    stores.remove(ImageStoreEntry.self, key, .first)
    return nil
  }

  /// The same of the further levels. An entry that cannot be read stays: it may be of use to another release.
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

  /// Whether a level may have notes of what has been made of a source. Never waits: for any thread.
  func mayHaveRelatives(of source: CacheKey) -> Bool { stores.mayContain(ImageStoreKey(.relatives, source)) }

  /// Whether a level may have the finished picture of a request. Never waits.
  func mayHaveRendition(for request: ImageRequest) -> Bool {
    stores.mayContain(ImageStoreKey(request.renditionKind, request.key.rendition), request.source.reach)
  }

  /// Whether a level may have the original of a request. Never waits.
  func mayHaveOriginal(for request: ImageRequest) -> Bool {
    stores.mayContain(ImageStoreKey(.original, request.key.source), request.source.reach)
  }

  /// Whether the beginning of an original may be there. Never waits.
  func mayHavePartial(for key: HTTPCacheKey) -> Bool {
    stores.mayContain(ImageStoreKey(.partial, ResponseShelf.storeKey(key)))
  }

  /// Counts a look for a finished picture that a hint has answered.
  func noteAbsence(of request: ImageRequest) {
    events.lookedUp(.rendition, found: nil, of: request.source.name, for: request)
  }

  /// Counts a look for an original that a hint has answered.
  func noteAbsence(ofOriginal request: ImageRequest) {
    events.lookedUp(.original, found: nil, of: Redaction.text(request.sourceKey))
  }

  /// Empties all levels. A level that this process may not write to stays as it is, which is reported.
  func emptyStores() {
    stores.removeAll(of: nil)
  }

  /// Returns when the further levels have what waits for them, or after a while: a level that never answers holds up
  /// nobody.
  ///
  /// - Parameter sleep: waits for the time it is given.
  func flushFurther(sleep: @escaping @Sendable (Duration) async throws -> Void) async {
    guard !stores.further.isEmpty else { return }
    let timer = Mutex<Task<Void, Never>?>(nil)
    await withCheckedContinuation { continuation in
      let end = OneEnd(continuation)
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

/// Resumes a continuation once, for the first of several that would.
private final class OneEnd: Sendable {
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
