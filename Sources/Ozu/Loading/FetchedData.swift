import Foundation
import OzuHTTP
import OzuSynchronization

/// What a fetch brought, shared by every load that wants it.
final class FetchedData: Sendable {
  /// What is to be stored as the original.
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

  let content: FetchedImage
  let source: ImageResponse.Source
  let timings: StageTimings
  /// Of the local file that was read.
  let stamp: FileStamp?
  /// What the bytes are known by to those who decode parts of them.
  let file: FileIdentity
  /// The answer of the HTTP cache, for what came over HTTP.
  let http: HTTPCachedResponse?
  /// Whether the bytes come from the disk cache and can be removed there when they turn out bad.
  let isFromStore: Bool
  let firstSteps = FirstSteps()
  private let hasOwnPolicy: Bool
  private let isStored = Atomic(false)

  init(
    _ content: FetchedImage, source: ImageResponse.Source, timings: StageTimings,
    stamp: FileStamp? = nil, file: FileIdentity = FileIdentity(), http: HTTPCachedResponse? = nil,
    isFromStore: Bool = false, hasOwnPolicy: Bool = false
  ) {
    self.content = content
    self.source = source
    self.timings = timings
    self.stamp = stamp
    self.file = file
    self.http = http
    self.isFromStore = isFromStore
    self.hasOwnPolicy = hasOwnPolicy
  }

  /// The same with other content, of which nobody has stored anything yet.
  func replacing(_ content: FetchedImage) -> FetchedData {
    FetchedData(
      content, source: source, timings: timings, stamp: stamp, http: http, isFromStore: isFromStore,
      hasOwnPolicy: hasOwnPolicy)
  }

  /// Whether the origin lets anything of this be kept (RFC 9111 §3): not the original, nor what is made of it.
  var allowsStoring: Bool { http?.reasonNotStored == nil }

  /// How long what is made of this stands for its source, by the rules of the pipeline. Under rules of a request's
  /// own it must not be served to others: they look at the original again, by theirs.
  var validity: OriginalValidity? {
    http.map {
      OriginalValidity(
        freshUntil: hasOwnPolicy ? .distantPast : $0.freshUntil, bodyIdentity: $0.bodyIdentity,
        mayOutlive: $0.mayOutlive)
    }
  }

  /// What to store as the original, for the first who asks: loads of several sizes share one fetch, and one of them
  /// writes it.
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
