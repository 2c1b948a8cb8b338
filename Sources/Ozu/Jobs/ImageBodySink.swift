import Foundation
import OzuHTTP
import OzuSynchronization

/// Collects the body of a successful response and reports how it grows; drops that of any other, so that an
/// error page costs no memory.
final class ImageBodySink: HTTPBodySink {
  private struct State {
    var head: HTTPResponseHead?
    var receivedByteCount = 0
  }

  private let body = DataSink()
  private let state = Mutex(State())
  private let onProgress: @Sendable (LoadProgress) -> Void

  /// More of an error page than this is not waited for.
  private static let errorPageByteLimit = 1 << 16

  init(onProgress: @escaping @Sendable (LoadProgress) -> Void) {
    self.onProgress = onProgress
  }

  /// The status, when it is not success.
  var refusedStatus: Int? {
    state.withLock { $0.head.flatMap { (200..<300).contains($0.status) ? nil : $0.status } }
  }

  func takeData() -> Data { body.takeData() }

  func begin(_ head: HTTPResponseHead) throws(HTTPError) {
    state.withLock { $0.head = head }
    guard refusedStatus == nil else { return }
    try body.begin(head)
    onProgress(LoadProgress(receivedByteCount: 0, expectedByteCount: head.expectedByteCount))
  }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    let count = bytes.byteCount
    let (head, received) = state.withLock { state in
      state.receivedByteCount += count
      return (state.head, state.receivedByteCount)
    }
    if let status = refusedStatus {
      if received > Self.errorPageByteLimit {
        throw HTTPError(.refused("the status is \(status)"), url: head?.url)
      }
      return
    }
    try body.append(bytes)
    onProgress(LoadProgress(receivedByteCount: received, expectedByteCount: head?.expectedByteCount))
  }
}
