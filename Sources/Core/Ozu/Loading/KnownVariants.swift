import OzuBase

/// The pictures of each source that have been made or are being made. Smaller pictures can be derived from them.
///
/// Only pictures are listed from which others may be made (`Recipe.servesOthers`). The entries are
/// hints: the code that uses one checks whether the cache still has the picture. The variants that earlier processes
/// stored on disk are loaded when a source is first requested (`ImageCaches+Renditions.swift`). The memory is bounded
/// by two generations: when the younger one is full it becomes the older one, and the older one is dropped. An entry
/// that is read or written again moves to the younger generation. One lock guards everything.
///
/// - Complexity: O(pictures of one source), which are at most eight.
final class KnownVariants: Sendable {
  /// A finished picture.
  struct SizeVariant: Hashable, Sendable {
    let key: ImageKey
    let resize: Resize?
    /// Whether its colours are under the profile of the file (`ColorPolicy.keepProfile`) and not in sRGB.
    var keepsProfile = false
    let size: PixelSize
    /// Its kind in the stores, if it is stored.
    var kind = ImageStoreKind.rendition
  }

  /// A picture that is being loaded.
  struct Loading: Sendable {
    let id: Int
    let request: ImageRequest
    let epoch: LoadEpoch
  }

  private struct Notes {
    var pictures: [SizeVariant] = []
    /// Whether the list on disk has been added.
    var isComplete = false
    /// The keys of all finished pictures, with processors too, in the order in which they were made; and whether they
    /// have been removed since.
    var keys: [(key: ImageKey, isRemoved: Bool)] = []
  }

  private struct State {
    var young: [CacheKey: Notes] = [:]
    var old: [CacheKey: Notes] = [:]
    var loading: [CacheKey: [Loading]] = [:]
    var lastID = 0

    /// The notes of a source; moves them to the younger generation.
    mutating func take(_ source: CacheKey) -> Notes {
      if let notes = young[source] { return notes }
      guard let notes = old[source] else { return Notes() }
      young[source] = notes
      return notes
    }

    /// Changes the notes of a source in place, in the younger generation.
    mutating func change(_ source: CacheKey, _ change: (inout Notes) -> Void) {
      let place = young.index(forKey: source)
      if let place { return change(&young.values[place]) }
      var notes = old.isEmpty ? Notes() : old[source] ?? Notes()
      change(&notes)
      young[source] = notes
      guard young.count > KnownVariants.sourceLimit else { return }
      old = young
      young = [:]
    }
  }

  private static let sourceLimit = 4096
  /// The largest number of pictures of one source.
  static let pictureLimit = 8
  /// The largest number of keys of one source.
  private static let keyLimit = 16

  private let state = Mutex(State())

  /// Adds a picture that a cache has now.
  func note(_ variant: SizeVariant) {
    state.withLock { state in
      state.change(variant.key.source) { notes in
        notes.pictures.removeAll { $0.key == variant.key }
        if notes.pictures.count >= Self.pictureLimit { notes.pictures.removeFirst() }
        notes.pictures.append(variant)
      }
    }
  }

  /// Records that a picture was made, whether a cache keeps it or not.
  func noteMaking(of key: ImageKey) {
    state.withLock { state in
      state.change(key.source) { notes in
        notes.keys.removeAll { $0.key == key }
        if notes.keys.count >= Self.keyLimit { notes.keys.removeFirst() }
        notes.keys.append((key, false))
      }
    }
  }

  /// Records that the pictures of a source have been removed; `nil` means all sources.
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

  /// The keys of all finished pictures of a source, at any size, the latest first.
  func keys(of source: CacheKey) -> [ImageKey] {
    state.withLock { ($0.young[source] ?? $0.old[source])?.keys.reversed().map(\.key) ?? [] }
  }

  /// The reason why no cache has a picture, as far as this process knows.
  func absence(of key: ImageKey) -> ImageResponse.RenditionMiss {
    state.withLock { state in
      guard let notes = state.young[key.source] ?? state.old[key.source] else { return .neverMade }
      if let made = notes.keys.first(where: { $0.key == key }) { return made.isRemoved ? .removed : .evicted }
      if notes.pictures.contains(where: { $0.key == key }) { return .evicted }
      let isOther = notes.keys.contains { !$0.isRemoved } || !notes.pictures.isEmpty
      return isOther ? .otherSize : .neverMade
    }
  }

  /// Whether the list of variants on disk has been added.
  func hasLearnt(of source: CacheKey) -> Bool {
    state.withLock { ($0.young[source] ?? $0.old[source])?.isComplete ?? false }
  }

  /// Adds the list of variants on disk. Entries of this process take precedence.
  func learn(_ pictures: [SizeVariant], of source: CacheKey) {
    guard !pictures.isEmpty else { return }
    state.withLock { state in
      state.change(source) { notes in
        let known = notes.pictures
        let new = pictures.filter { variant in !known.contains { $0.key == variant.key } }
        notes.pictures = Array(new.suffix(max(0, Self.pictureLimit - known.count))) + known
        notes.isComplete = true
      }
    }
  }

  /// Removes a picture that no cache has any more.
  func forget(_ key: ImageKey) {
    state.withLock { state in
      state.young[key.source]?.pictures.removeAll { $0.key == key }
      state.old[key.source]?.pictures.removeAll { $0.key == key }
    }
  }

  /// The finished pictures of a source, the smallest first.
  func finished(of source: CacheKey) -> [SizeVariant] {
    let pictures = state.withLock { state in
      state.young.isEmpty && state.old.isEmpty ? [] : state.take(source).pictures
    }
    guard pictures.count > 1 else { return pictures }
    return pictures.sorted { $0.size.width * $0.size.height < $1.size.width * $1.size.height }
  }

  /// Records that a picture is being loaded. Returns an identifier for `end`.
  func begin(_ request: ImageRequest, _ epoch: LoadEpoch) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.loading[request.key.source, default: []].append(
        Loading(id: state.lastID, request: request, epoch: epoch))
      return state.lastID
    }
  }

  /// Records that a load has ended.
  func end(_ id: Int, of source: CacheKey) {
    state.withLock { state in
      state.loading[source]?.removeAll { $0.id == id }
      if state.loading[source]?.isEmpty ?? false { state.loading[source] = nil }
    }
  }

  /// The pictures of a source that are being loaded.
  func loading(of source: CacheKey) -> [Loading] {
    state.withLock { $0.loading[source] ?? [] }
  }
}

extension KnownVariants.SizeVariant {
  /// The picture of a request of which others may be made.
  init(_ request: ImageRequest, size: PixelSize) {
    self.init(
      key: request.key, resize: request.resize, keepsProfile: request.decoding.keepsProfile, size: size,
      kind: request.renditionKind)
  }

  /// Nothing but the resize and the colours, because only such pictures are listed (`Recipe.servesOthers`).
  var recipe: Recipe {
    Recipe(
      resize: resize, decoding: RequestedDecoding(policy: keepsProfile ? .keepProfile : .convertToSRGB))
  }
}
