import OzuBase
import OzuHTTP

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
    /// Whether its origin forbade storing it when it was loaded last.
    var isUnstorable = false
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

  /// Records whether the origin of a source allows storing it.
  func noteOrigin(of source: CacheKey, allowsStoring: Bool) {
    state.withLock { state in
      let isUnstorable = (state.young[source] ?? state.old[source])?.isUnstorable ?? false
      if isUnstorable == allowsStoring { state.change(source) { $0.isUnstorable = !allowsStoring } }
    }
  }

  /// Whether a source may be stored, as far as is known.
  func mayBeStored(_ source: CacheKey) -> Bool {
    state.withLock { !(($0.young[source] ?? $0.old[source])?.isUnstorable ?? false) }
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

/// Remembers for a while which sources have failed for good, so that repeated requests do not burden an origin that
/// has already refused. A failure counts for requests with the same address and the same header fields.
///
/// Entries expire. An answer 404 or 410 counts as long as HTTP allows. Other lasting failures count 10 seconds at
/// first, and twice as long each time they occur again, 5 minutes at most. Failures that may pass by themselves are
/// not remembered. One lock guards the table.
///
/// Some sources fail only a certain demand: they have too many pixels for one recipe and not for another. Callers who know the
/// demand remember these for it alone, beside the failures for all demands.
///
/// - Complexity: O(1); O(count) when the table is full, and to forget a source.
final class FailureMemory: Sendable {
  private struct Failure {
    let source: CacheKey
    let error: ImageError
    let cause: Cause
    let until: Date
    let count: Int
  }

  /// The parts of a request that its origin sees. Other requests may have the same key: those with an own key, or with other header fields.
  private struct Cause: Equatable {
    let source: String
    let headers: HTTPHeaders
    let acceptance: ImageAcceptance?

    init(_ request: ImageRequest) {
      acceptance = request.acceptance
      switch request.source {
      case .request(let sent): (source, headers) = (sent.url.absoluteString, sent.headers)
      case let other: (source, headers) = (other.key, [:])
      }
    }
  }

  private static let countLimit = 1024
  private static let firstLifetime = 10.0
  private static let longestLifetime = 300.0

  private let failures = Mutex<[CacheKey: Failure]>([:])

  /// Whether no failure is remembered.
  var isEmpty: Bool { failures.withLock { $0.isEmpty } }

  /// The remembered failure of an earlier request that was the same for the origin; nil if there is none or it has expired.
  ///
  /// - Parameter demand: what is demanded of the source; nil for a failure of all demands.
  func failure(of request: ImageRequest, for demand: String? = nil, now: Date) -> ImageError? {
    let key = Self.key(request, demand)
    let failure = failures.withLock { $0[key] }
    guard let failure, now < failure.until, failure.cause == Cause(request) else { return nil }
    return failure.error
  }

  /// Remembers a failure if it is lasting, or if the caller says so by naming the demand that failed.
  ///
  /// - Parameter date: the time until which the origin's answer is fresh; nil if there was no answer.
  func note(
    _ error: ImageError, of request: ImageRequest, for demand: String? = nil, freshUntil date: Date?,
    now: Date
  ) {
    guard demand != nil || error.isLasting else { return }
    let (key, cause) = (Self.key(request, demand), Cause(request))
    failures.withLock { failures in
      let count = (failures[key].flatMap { $0.cause == cause ? $0.count : nil } ?? 0) + 1
      let doubled = min(Self.longestLifetime, Self.firstLifetime * Double(1 << min(count - 1, 10)))
      let until = date ?? now.addingTimeInterval(doubled)
      if failures.count >= Self.countLimit, failures[key] == nil {
        failures = failures.filter { now < $0.value.until }
        if failures.count >= Self.countLimit,
          let oldest = failures.min(by: { $0.value.until < $1.value.until })
        {
          failures[oldest.key] = nil
        }
      }
      failures[key] = Failure(
        source: request.key.source, error: error, cause: cause, until: until, count: count)
    }
  }

  private static func key(_ request: ImageRequest, _ demand: String?) -> CacheKey {
    demand.map { request.key.source.derived($0) } ?? request.key.source
  }

  /// Forgets a source that was removed, for all demands.
  func forget(_ source: CacheKey) {
    failures.withLock { failures in failures = failures.filter { $0.value.source != source } }
  }

  /// Forgets the failure of a source that the origin has sent now; after a reload, also that of a file that did not decode.
  func noteSuccess(of request: ImageRequest) {
    failures.withLock { failures in
      guard let failure = failures[request.key.source] else { return }
      if request.cachePolicy == .reload || failure.error.kind == .httpStatus {
        failures[request.key.source] = nil
      }
    }
  }

  /// Forgets all failures.
  func forgetAll() {
    failures.withLock { $0.removeAll() }
  }
}

extension ImageError {
  /// Whether another request soon would fail in the same way.
  fileprivate var isLasting: Bool {
    switch kind {
    case .httpStatus:
      statusCode.map { (400..<500).contains($0) && $0 != 408 && $0 != 429 } ?? false
    // Not a format without a decoder: its package may be installed, or a decoder registered, at any time.
    case .notAnImage, .corruptData, .bodyTooLarge, .emptyData: true
    case .decoderFailed:
      // No fault of the file: the next process may start.
      if case .unavailable? = decoderFailure { false } else { true }
    default: false
    }
  }
}

extension HTTPCachedResponse {
  /// The time until which a 404 or 410 is remembered: its own lifetime, otherwise 60 seconds; a day at most. `nil` for other answers.
  func absenceEnd(_ now: Date) -> Date? {
    guard status == 404 || status == 410 else { return nil }
    let control = CacheControl(head.headers)
    if control.contains("no-store") || control.contains("no-cache") { return now }
    let isExplicit = control.contains("max-age") || head.headers.contains(name: "Expires")
    let end = isExplicit ? freshUntil : now.addingTimeInterval(60)
    return min(end, now.addingTimeInterval(24 * 3600))
  }
}
