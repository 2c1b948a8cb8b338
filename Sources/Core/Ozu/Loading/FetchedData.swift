import OzuBase
import OzuHTTP

/// The result of a fetch, shared by all loads that want it.
final class FetchedData: Sendable {
  /// The data to store as the original.
  enum Original: Sendable {
    case data(Data)
    case response(HTTPCacheEntry)

    var byteCount: Int {
      switch self {
      case .data(let data): data.count
      case .response(let entry): entry.body.count
      }
    }
  }

  /// The rules of an origin for the bytes and for pictures made from them.
  enum Rules: Sendable {
    /// Those of an answer of the HTTP cache, for a request with its own policy or without.
    case response(HTTPCachedResponse, hasOwnPolicy: Bool)
    /// Those of the origins whose pictures this was made of.
    case derived(OriginalValidity, allowsStoring: Bool)
  }

  let content: FetchedImage
  let source: ImageResponse.Source
  /// The stage of the fetch, and how long it took; nil if the content was at hand.
  private let time: (stage: ImageStage, duration: Duration)?
  /// `nil` if the bytes are from no origin.
  private let rules: Rules?
  /// The stamp of the local file that was read.
  let stamp: FileStamp?
  /// The identity of the bytes for decoders that decode parts of them.
  let file: FileIdentity
  /// The header, if it is all that was asked for. The content may then be the beginning of the file.
  let header: ImageHeader?
  /// Whether the bytes come from a store, and can be removed there if they do not decode.
  let isFromStore: Bool
  let firstStepResults = FirstStepResults()
  private let isStored = Atomic(false)

  init(
    _ content: FetchedImage, source: ImageResponse.Source,
    time: (stage: ImageStage, duration: Duration)? = nil, rules: Rules? = nil, stamp: FileStamp? = nil,
    file: FileIdentity = FileIdentity(), header: ImageHeader? = nil, isFromStore: Bool = false
  ) {
    self.content = content
    self.source = source
    self.time = time
    self.rules = rules
    self.stamp = stamp
    self.file = file
    self.header = header
    self.isFromStore = isFromStore
  }

  /// The same with other content, which is not stored yet.
  func replacing(_ content: FetchedImage) -> FetchedData {
    FetchedData(
      content, source: source, time: time, rules: rules, stamp: stamp, isFromStore: isFromStore)
  }

  /// The answer of the HTTP cache, if the bytes came over HTTP.
  var http: HTTPCachedResponse? {
    guard case .response(let answer, _)? = rules else { return nil }
    return answer
  }

  /// The time of the fetch.
  var timings: StageTimings {
    var timings = StageTimings()
    if let time { timings.add(time.stage, time.duration) }
    return timings
  }

  /// Whether the origin allows storing (RFC 9111 §3) of the original and of pictures made from it.
  var allowsStoring: Bool {
    switch rules {
    case .response(let answer, _)?: answer.reasonNotStored == nil
    case .derived(_, let allowsStoring)?: allowsStoring
    case nil: true
    }
  }

  /// How long a picture made from this is valid, by the rules of the pipeline. If the request has its own rules, the
  /// picture must not be served to others: they revalidate the original by their own rules.
  var validity: OriginalValidity? {
    switch rules {
    case .response(let answer, let hasOwnPolicy)?:
      OriginalValidity(
        receptionDate: answer.receptionDate, freshUntil: hasOwnPolicy ? .distantPast : answer.freshUntil,
        bodyIdentity: answer.bodyIdentity, mayUseOffline: answer.mayUseOffline)
    case .derived(let validity, _)?: validity
    case nil: nil
    }
  }

  /// The data to store as the original. Only the first call returns it: loads of several sizes share one fetch, and
  /// one of them writes it.
  func claimOriginal() -> Original? {
    let original: Original
    if let http {
      guard let entry = http.unstored else { return nil }
      original = .response(entry)
    } else {
      guard source == .network, case .data(let data) = content else { return nil }
      original = .data(data)
    }
    return isStored.exchange(true, ordering: .relaxed) ? nil : original
  }
}

/// The results of first steps on some bytes, kept as long as a load uses the bytes: several encoded files of one
/// photograph share one decode, however late one of them begins.
///
/// Only for encoded images, because apps make sets of them. Other equal work at the same time shares the job, and
/// nothing is kept.
struct FirstStepResults: ~Copyable, Sendable {
  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  let made = Mutex<[CacheKey: Rendered]>([:])

  /// The result of a recipe up to its first step.
  func result(of recipe: CacheKey) -> Rendered? { made.withLock { $0[recipe] } }

  func note(_ result: Rendered, of recipe: CacheKey) {
    // Without timings: the time counts only for the load that did the work.
    let later = Rendered(picture: result.picture, timings: StageTimings())
    made.withLock { $0[recipe] = later }
  }
}

/// The fetched bytes that a load still uses. A load of another size that begins while the first one is decoded finds
/// them here, before any cache has them.
///
/// References are weak, so nothing is kept longer than needed. One lock guards the table; objects are released
/// outside the lock.
final class FetchesInUse: Sendable {
  private struct Entry: Sendable {
    weak var data: FetchedData?
  }

  private struct State {
    var entries: [JobKey: Entry] = [:]
    var sweepCount = 64
  }

  private let state = Mutex(State())

  /// Records fetched bytes.
  ///
  /// - Returns: the object from which the steps start. If the same file was read twice, because the second load began
  ///   after the first read had ended and before it was recorded, this is the first object, so that the steps are
  ///   shared.
  func note(_ data: FetchedData, for key: JobKey) -> FetchedData {
    // Reading a weak reference makes a strong one, which may be the last: all are released outside the lock.
    var live: [FetchedData] = []
    defer { withExtendedLifetime(live) {} }
    return state.withLock { state in
      if let other = state.entries[key]?.data {
        live.append(other)
        if other.stamp != nil, other.stamp == data.stamp { return other }
      }
      state.entries[key] = Entry(data: data)
      guard state.entries.count > state.sweepCount else { return data }
      state.entries = state.entries.filter { entry in
        guard let data = entry.value.data else { return false }
        live.append(data)
        return true
      }
      state.sweepCount = max(64, state.entries.count * 2)
      return data
    }
  }

  func data(for key: JobKey) -> FetchedData? {
    state.withLock { $0.entries[key]?.data }
  }

  func forget(_ key: JobKey) {
    state.withLock { _ = $0.entries.removeValue(forKey: key) }
  }
}

/// A source as it was fetched, with the state of its bytes.
///
/// - Note: `encoded(for:as:from:)` makes pictures of it, so that a service that has looked at a source does not ask for it again.
package struct FetchedOriginal: Sendable {
  let fetched: FetchedData

  /// The bytes; `nil` if a fetcher returned pixels.
  package var data: Data? { if case .data(let data) = fetched.content { data } else { nil } }

  /// The identity of the bytes, the same on every machine, and the time until which the origin need not be asked again. `nil` if the
  /// origin forbids storing, and for sources that are not from the web.
  package var state: (identity: String, freshUntil: Date)? {
    guard fetched.allowsStoring, let validity = fetched.validity, !validity.bodyIdentity.isEmpty else {
      return nil
    }
    return (validity.bodyIdentity, validity.freshUntil)
  }

  package var allowsStoring: Bool { fetched.allowsStoring }
}
