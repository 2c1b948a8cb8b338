import Foundation
import OzuHTTP
import OzuSynchronization

/// What a fetch brought, shared by every load that wants it.
final class FetchedData: Sendable {
  let content: FetchedImage
  let source: ImageResponse.Source
  let timings: StageTimings
  /// Of the local file that was read.
  let stamp: FileStamp?
  /// The head of the response, for what came over HTTP.
  let head: HTTPResponseHead?
  /// Whether the bytes come from the disk cache and can be removed there when they turn out bad.
  let isFromDiskCache: Bool
  private let isStored = Atomic(false)

  init(
    _ content: FetchedImage, source: ImageResponse.Source, timings: StageTimings,
    stamp: FileStamp? = nil, head: HTTPResponseHead? = nil, isFromDiskCache: Bool = false
  ) {
    self.content = content
    self.source = source
    self.timings = timings
    self.stamp = stamp
    self.head = head
    self.isFromDiskCache = isFromDiskCache
  }

  /// Whether the origin lets anything of this be kept (RFC 9111 §5.2.2.5).
  var allowsStoring: Bool {
    guard let head else { return true }
    return !CacheControl(head.headers).contains("no-store")
  }

  /// The bytes to store as the original, for the first who asks: loads of several sizes share one fetch, and
  /// one of them writes it.
  func claimOriginal() -> Data? {
    guard source == .network, allowsStoring, case .data(let data) = content else { return nil }
    return isStored.exchange(true, ordering: .relaxed) ? nil : data
  }
}
