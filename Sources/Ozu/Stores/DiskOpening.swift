import Dispatch
import Foundation
import OzuSynchronization

/// The disk cache of a pipeline. The first thread that needs it opens it.
///
/// Opening does I/O and runs code of the app (`DiskStorage.opening`, `caching.onDiskError`), which may call the pipeline. So
/// no lock is held during it: one thread opens the cache, other threads that need it wait for that thread, and errors
/// are reported after the result is set. The lock is held only to read or change the state.
final class DiskOpening: Sendable {
  /// The state of the disk cache, as known without waiting.
  enum AtHand {
    case unknown
    case none
    case open(DiskCache)
  }

  private enum State {
    case closed
    /// The thread that opens it, and the group for which the other threads wait.
    case underWay(thread: ObjectIdentifier, DispatchGroup)
    case done(DiskCache?)
  }

  private let storage: DiskStorage
  private let onError: @Sendable (DiskCacheError) -> Void
  private let prepare: @Sendable (DiskCache) -> Void
  private let state: Mutex<State>

  /// Makes the state without opening the cache.
  ///
  /// - Parameters:
  ///   - onError: receives errors, outside all locks.
  ///   - prepare: called with the new cache before other threads receive it.
  init(
    _ storage: DiskStorage, onError: @escaping @Sendable (DiskCacheError) -> Void,
    prepare: @escaping @Sendable (DiskCache) -> Void
  ) {
    self.storage = storage
    self.onError = onError
    self.prepare = prepare
    if case .none = storage { state = Mutex(.done(nil)) } else { state = Mutex(.closed) }
  }

  /// Makes the state from an open disk cache.
  init(_ cache: DiskCache) {
    storage = .none
    onError = { _ in }
    prepare = { _ in }
    state = Mutex(.done(cache))
  }

  /// The state of the disk cache. Never waits.
  var atHand: AtHand {
    state.withLock { state in
      guard case .done(let cache) = state else { return .unknown }
      return cache.map { .open($0) } ?? .none
    }
  }

  /// The disk cache, opened now if necessary; `nil` if there is none.
  ///
  /// Waits while another thread opens it. The thread that opens it gets `nil` until it is open: so code of the app
  /// that runs meanwhile on that thread finds a pipeline without a disk cache.
  var cache: DiskCache? {
    enum Turn {
      case done(DiskCache?)
      case wait(DispatchGroup)
      case open(DispatchGroup)
    }
    let thread = ObjectIdentifier(Thread.current)
    while true {
      let turn = state.withLock { state -> Turn in
        switch state {
        case .done(let cache): return .done(cache)
        case .underWay(thread, _): return .done(nil)
        case .underWay(_, let group): return .wait(group)
        case .closed:
          let group = DispatchGroup()
          group.enter()
          state = .underWay(thread: thread, group)
          return .open(group)
        }
      }
      switch turn {
      case .done(let cache): return cache
      case .wait(let group): group.wait()
      case .open(let group): return open(group)
      }
    }
  }

  private func open(_ group: DispatchGroup) -> DiskCache? {
    let errors = PostponedErrors(onError)
    let cache = make(errors)
    if let cache { prepare(cache) }
    state.withLock { $0 = .done(cache) }
    group.leave()
    errors.report()
    return cache
  }

  private func make(_ errors: PostponedErrors) -> DiskCache? {
    do throws(DiskCacheError) {
      switch storage {
      case .none: return nil
      case .opening(let open): return try open()
      case .folder(let folder, let capacity):
        return try DiskCache(
          directory: folder.path(percentEncoded: false),
          configuration: DiskCacheConfiguration(capacity: capacity, onError: errors.add))
      }
    } catch {
      errors.add(error)
      return nil
    }
  }
}

/// The errors of a disk cache: collected while it is opened, and reported at once after that. One lock guards them;
/// it is not held while they are reported.
private final class PostponedErrors: Sendable {
  // `nil` after `report`: later errors are reported at once.
  private let kept = Mutex<[DiskCacheError]?>([])
  private let onError: @Sendable (DiskCacheError) -> Void

  init(_ onError: @escaping @Sendable (DiskCacheError) -> Void) { self.onError = onError }

  func add(_ error: DiskCacheError) {
    let isKept = kept.withLock { kept in
      kept?.append(error)
      return kept != nil
    }
    if !isKept { onError(error) }
  }

  func report() {
    let errors = kept.withLock { kept in
      defer { kept = nil }
      return kept ?? []
    }
    for error in errors { onError(error) }
  }
}
