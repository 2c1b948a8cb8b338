import Foundation
import OzuHTTP
import OzuSynchronization

/// Where the bytes of one download can be seen while they come, by the loads that make previews of them.
///
/// Who comes late gets what was there before. Chunks are copied once, for all. Only a whole body is shown, from its
/// first byte: of a download that is resumed the beginning does not pass here, so nothing is shown.
///
/// One lock guards the chunks and the listeners; listeners are called under it, so that each gets every chunk in
/// order: they take it and return.
final class BodyTap: Sendable {
  private struct State {
    var chunks: [Data] = []
    var isWhole = false
    var lastID = 0
    var listeners: [Int: @Sendable (Data) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// A response begins: what came before was of another one.
  func begin(_ head: HTTPResponseHead) {
    // Released outside of the lock, with the loads that they belong to.
    var former: [Int: @Sendable (Data) -> Void] = [:]
    defer { withExtendedLifetime(former) {} }
    state.withLock { state in
      // After a retry the listeners have another beginning; they get no more.
      if !state.chunks.isEmpty { swap(&former, &state.listeners) }
      state.chunks = []
      state.isWhole = head.status == 200
    }
  }

  func append(_ bytes: RawSpan) {
    state.withLock { state in
      guard state.isWhole, bytes.byteCount > 0 else { return }
      let chunk = bytes.withUnsafeBytes { Data($0) }
      state.chunks.append(chunk)
      for listener in state.listeners.values { listener(chunk) }
    }
  }

  func listen(_ listener: @escaping @Sendable (Data) -> Void) -> Int {
    state.withLock { state in
      state.lastID += 1
      state.listeners[state.lastID] = listener
      for chunk in state.chunks { listener(chunk) }
      return state.lastID
    }
  }

  func removeListener(_ id: Int) {
    _ = state.withLock { $0.listeners.removeValue(forKey: id) }
  }
}

/// A sink whose bytes can be seen.
struct TappedSink: HTTPBodySink {
  let sink: any HTTPBodySink
  let watch: SizeWatch

  func begin(_ head: HTTPResponseHead) throws(HTTPError) {
    try sink.begin(head)
    watch.tap?.begin(head)
    watch.begin(head)
  }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    try sink.append(bytes)
    watch.tap?.append(bytes)
    watch.append(bytes)
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool { sink.isReady(resumption) }
}

/// A client whose bytes can be seen: no more than a reference, so that it takes no memory of its own.
struct TappedClient: HTTPClient {
  let watch: SizeWatch

  func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    try await watch.client.send(request, into: TappedSink(sink: sink, watch: watch))
  }
}
