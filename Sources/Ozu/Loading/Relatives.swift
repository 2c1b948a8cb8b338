import OzuSynchronization

/// Which pictures of a source have been made, and which are being made: where a smaller one may come from.
///
/// Only pictures without processors are noted, because of those a smaller one can be made. The notes are hints: whoever
/// finds one looks into the cache whether it still has the picture. What earlier processes have left on disk is learnt
/// when a source is first asked for (`ImageCaches+Relatives.swift`). Notes are bounded by forgetting in two
/// generations: when the younger one is full it becomes the older one, which is dropped; what is looked up or noted
/// again moves to the younger. One lock guards everything.
///
/// - Complexity: O(pictures of one source), of which no more than eight are noted.
final class Relatives: Sendable {
  /// A picture that was made.
  struct Made: Hashable, Sendable {
    let key: ImageKey
    let resize: Resize?
    let size: PixelSize
    /// What it is in the levels of storage, if it is there.
    var kind = ImageStoreKind.rendition
  }

  /// A picture that is being made.
  struct Loading: Sendable {
    let id: Int
    let request: ImageRequest
  }

  private struct Notes {
    var pictures: [Made] = []
    /// Whether the notes on disk are among them.
    var isComplete = false
    /// All that were made, also with processors, the last one at the end; and whether they were removed since.
    var keys: [(key: ImageKey, isRemoved: Bool)] = []
  }

  private struct State {
    var young: [CacheKey: Notes] = [:]
    var old: [CacheKey: Notes] = [:]
    var loading: [CacheKey: [Loading]] = [:]
    var lastID = 0

    /// The notes of a source, moved to the younger generation.
    mutating func take(_ source: CacheKey) -> Notes {
      if let notes = young[source] { return notes }
      guard let notes = old[source] else { return Notes() }
      young[source] = notes
      return notes
    }

    /// Changes the notes of a source where they stand, in the younger generation.
    mutating func change(_ source: CacheKey, _ change: (inout Notes) -> Void) {
      let place = young.index(forKey: source)
      if let place { return change(&young.values[place]) }
      var notes = old.isEmpty ? Notes() : old[source] ?? Notes()
      change(&notes)
      young[source] = notes
      guard young.count > Relatives.sourceLimit else { return }
      old = young
      young = [:]
    }
  }

  private static let sourceLimit = 4096
  /// The most pictures of one source.
  static let pictureLimit = 8
  /// The most keys of one source.
  private static let keyLimit = 16

  private let state = Mutex(State())

  /// Notes a picture that a cache has now.
  func note(_ made: Made) {
    state.withLock { state in
      state.change(made.key.source) { notes in
        notes.pictures.removeAll { $0.key == made.key }
        if notes.pictures.count >= Self.pictureLimit { notes.pictures.removeFirst() }
        notes.pictures.append(made)
      }
    }
  }

  /// Notes that a picture was made, whatever becomes of it.
  func noteMaking(of key: ImageKey) {
    state.withLock { state in
      state.change(key.source) { notes in
        notes.keys.removeAll { $0.key == key }
        if notes.keys.count >= Self.keyLimit { notes.keys.removeFirst() }
        notes.keys.append((key, false))
      }
    }
  }

  /// Notes that what was made of a source has been removed; of all sources for `nil`.
  func noteRemoval(of source: CacheKey?) {
    func mark(_ notes: inout Notes) {
      for index in notes.keys.indices { notes.keys[index].isRemoved = true }
      notes.pictures = []
    }
    state.withLock { state in
      if let source {
        guard state.young[source] != nil || state.old[source] != nil else { return }
        return state.change(source, mark)
      }
      for source in state.young.keys { mark(&state.young[source, default: Notes()]) }
      for source in state.old.keys { mark(&state.old[source, default: Notes()]) }
    }
  }

  /// What has been made of a source, at whatever size, the last one first.
  func keys(of source: CacheKey) -> [ImageKey] {
    state.withLock { ($0.young[source] ?? $0.old[source])?.keys.reversed().map(\.key) ?? [] }
  }

  /// Why no cache has a picture, as far as this process knows.
  func absence(of key: ImageKey) -> ImageResponse.RenditionMiss {
    state.withLock { state in
      guard let notes = state.young[key.source] ?? state.old[key.source] else { return .neverMade }
      if let made = notes.keys.first(where: { $0.key == key }) { return made.isRemoved ? .removed : .evicted }
      if notes.pictures.contains(where: { $0.key == key }) { return .evicted }
      let isOther = notes.keys.contains { !$0.isRemoved } || !notes.pictures.isEmpty
      return isOther ? .otherSize : .neverMade
    }
  }

  /// Whether what the disk knows of a source has been learnt.
  func hasLearnt(of source: CacheKey) -> Bool {
    state.withLock { ($0.young[source] ?? $0.old[source])?.isComplete ?? false }
  }

  /// Adds what the disk knows of a source, behind what is known already.
  func learn(_ pictures: [Made], of source: CacheKey) {
    guard !pictures.isEmpty else { return }
    state.withLock { state in
      state.change(source) { notes in
        let known = notes.pictures
        let new = pictures.filter { made in !known.contains { $0.key == made.key } }
        notes.pictures = Array(new.suffix(max(0, Self.pictureLimit - known.count))) + known
        notes.isComplete = true
      }
    }
  }

  /// Forgets a picture that no cache has any more.
  func forget(_ key: ImageKey) {
    state.withLock { state in
      state.young[key.source]?.pictures.removeAll { $0.key == key }
      state.old[key.source]?.pictures.removeAll { $0.key == key }
    }
  }

  /// What has been made of a source, the smallest picture first.
  func made(of source: CacheKey) -> [Made] {
    let pictures = state.withLock { state in
      state.young.isEmpty && state.old.isEmpty ? [] : state.take(source).pictures
    }
    guard pictures.count > 1 else { return pictures }
    return pictures.sorted { $0.size.width * $0.size.height < $1.size.width * $1.size.height }
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

  /// Whether anything has been made of a source, or is being made.
  func hasAny(of source: CacheKey) -> Bool {
    state.withLock { state in
      state.loading[source] != nil || state.young[source] != nil || state.old[source] != nil
    }
  }

  /// What is being made of a source.
  func loading(of source: CacheKey) -> [Loading] {
    state.withLock { $0.loading[source] ?? [] }
  }
}
