import OzuSynchronization

/// Which pictures of a source have been made, and which are being made: where a smaller one may come from.
///
/// Only pictures without processors are noted, because of those a smaller one can be made. The notes are hints: whoever
/// finds one looks into the cache whether it still has the picture. They are bounded by forgetting in two
/// generations: when the younger one is full it becomes the older one, which is dropped; what is looked up or noted
/// again moves to the younger. One lock guards everything.
///
/// - Complexity: O(pictures of one source), of which no more than eight are noted.
final class Relatives: Sendable {
  /// A picture that was made.
  struct Made: Sendable {
    let key: ImageKey
    let resize: Resize?
    let size: PixelSize
    /// Where it is on disk, if it is.
    var partition = ImageCaches.renditions
  }

  /// A picture that is being made.
  struct Loading: Sendable {
    let id: Int
    let request: ImageRequest
  }

  private struct State {
    var young: [CacheKey: [Made]] = [:]
    var old: [CacheKey: [Made]] = [:]
    var loading: [CacheKey: [Loading]] = [:]
    var lastID = 0

    /// The notes of a source, moved to the younger generation.
    mutating func take(_ source: CacheKey) -> [Made] {
      let notes = young[source] ?? old[source] ?? []
      if young[source] == nil, !notes.isEmpty { young[source] = notes }
      return notes
    }
  }

  private static let sourceLimit = 4096
  private static let pictureLimit = 8

  private let state = Mutex(State())

  /// Notes a picture that a cache has now.
  func note(_ made: Made) {
    let source = made.key.source
    state.withLock { state in
      var notes = state.take(source)
      notes.removeAll { $0.key == made.key }
      if notes.count >= Self.pictureLimit { notes.removeFirst() }
      notes.append(made)
      state.young[source] = notes
      guard state.young.count > Self.sourceLimit else { return }
      state.old = state.young
      state.young = [:]
    }
  }

  /// Forgets a picture that no cache has any more.
  func forget(_ key: ImageKey) {
    state.withLock { state in
      state.young[key.source]?.removeAll { $0.key == key }
      state.old[key.source]?.removeAll { $0.key == key }
    }
  }

  /// What has been made of a source, the smallest picture first.
  func made(of source: CacheKey) -> [Made] {
    let notes = state.withLock { state in
      state.young.isEmpty && state.old.isEmpty ? [] : state.take(source)
    }
    guard notes.count > 1 else { return notes }
    return notes.sorted { $0.size.width * $0.size.height < $1.size.width * $1.size.height }
  }

  /// Notes that a picture is being made.
  func begin(_ request: ImageRequest) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.loading[request.key.source, default: []].append(Loading(id: state.lastID, request: request))
      return state.lastID
    }
  }

  /// Forgets that a picture is being made.
  func end(_ id: Int, of source: CacheKey) {
    state.withLock { state in
      state.loading[source]?.removeAll { $0.id == id }
      if state.loading[source]?.isEmpty ?? false { state.loading[source] = nil }
    }
  }

  /// What is being made of a source.
  func loading(of source: CacheKey) -> [Loading] {
    state.withLock { $0.loading[source] ?? [] }
  }
}
