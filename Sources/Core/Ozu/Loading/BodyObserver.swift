import OzuBase
import OzuHTTP

/// Passes the bytes of one download to the loads that make previews, while they arrive.
///
/// A listener that is added late receives the earlier chunks first. Chunks are copied once for all listeners. Only a
/// whole body is passed on, from its first byte: the beginning of a resumed download does not pass here, so there are
/// no previews of it.
///
/// One lock guards the chunks and the listeners. Listeners are called under it, so that each receives every chunk in
/// order; they must only take the chunk and return.
final class BodyObserver: Sendable {
  private struct State {
    var chunks: [Data] = []
    var isWhole = false
    var lastID = 0
    var listeners: [Int: @Sendable (Data) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// A response begins; earlier chunks belong to another one.
  func begin(_ head: HTTPResponseHead) {
    // Released outside the lock, together with the loads that they capture.
    var former: [Int: @Sendable (Data) -> Void] = [:]
    defer { withExtendedLifetime(former) {} }
    state.withLock { state in
      // After a retry the listeners already have the beginning of another body, so they receive nothing more.
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

/// A sink that passes its bytes to observers.
struct ObservedBodySink: HTTPBodySink {
  let sink: any HTTPBodySink
  let watch: SizeWatch

  func begin(_ head: HTTPResponseHead) throws(HTTPError) {
    try sink.begin(head)
    watch.bodyObserver?.begin(head)
    watch.begin(head)
  }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    try sink.append(bytes)
    watch.bodyObserver?.append(bytes)
    watch.append(bytes)
  }

  func isReady(_ resumption: HTTPBodyResumption) -> Bool { sink.isReady(resumption) }
}

/// A client that passes the bytes of its bodies to observers. It is a single reference, so it needs no allocation.
struct BodyObservingClient: HTTPClient {
  let watch: SizeWatch

  func send(
    _ request: HTTPRequest, into sink: any HTTPBodySink
  ) async throws(HTTPError) -> HTTPResponse {
    try await watch.client.send(request, into: ObservedBodySink(sink: sink, watch: watch))
  }
}
