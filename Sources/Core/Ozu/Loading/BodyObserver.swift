import OzuBase
import OzuHTTP

/// Passes the bytes of one download to the loads that make previews, while they arrive.
///
/// A listener that is added late receives the earlier chunks first. Chunks are copied once for all listeners. Only a
/// whole body is passed on, from its first byte: the beginning of a resumed download does not pass here, so there are
/// no previews of it. A body that becomes too large for memory is passed on up to there.
///
/// One lock guards the chunks and the listeners. Listeners are called under it, so that each receives every chunk in
/// order; they must only take the chunk and return.
final class BodyObserver: Sendable {
  private struct State {
    var chunks: [Data] = []
    var byteCount = 0
    var isWhole = false
    var lastID = 0
    var listeners: [Int: @Sendable (Data) -> Void] = [:]
  }

  private let byteLimit: Int
  private let state = Mutex(State())

  /// - Parameter byteLimit: the most bytes that are kept for later listeners.
  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// A response begins; earlier chunks belong to another one.
  func begin(_ head: HTTPResponseHead) {
    // Released outside the lock, together with the loads that they capture.
    var former: [Int: @Sendable (Data) -> Void] = [:]
    defer { withExtendedLifetime(former) {} }
    state.withLock { state in
      // After a retry the listeners already have the beginning of another body, so they receive nothing more.
      if !state.chunks.isEmpty { swap(&former, &state.listeners) }
      (state.chunks, state.byteCount) = ([], 0)
      state.isWhole = head.status == 200
    }
  }

  func append(_ bytes: RawSpan) {
    var former: [Int: @Sendable (Data) -> Void] = [:]
    defer { withExtendedLifetime(former) {} }
    state.withLock { state in
      guard state.isWhole, bytes.byteCount > 0 else { return }
      state.byteCount += bytes.byteCount
      guard state.byteCount <= byteLimit else {
        (state.isWhole, state.chunks) = (false, [])
        return swap(&former, &state.listeners)
      }
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

/// Reads the size of a picture from the first bytes of its download, for views that reserve space. Passes the bytes on to the
/// observer of the download, if previews are made.
///
/// The thread of the transport adds bytes. The header is read on the decoding threads, each time with twice as many
/// bytes, and only while a listener wants the size. When the body is complete, the load reads it as soon itself, so
/// nothing is read here. One lock guards the bytes.
final class SizeWatch: HTTPBodyObserving {
  fileprivate struct State {
    var bytes = Data()
    var dueByteCount = SizeWatch.firstByteCount
    var expectedByteCount: Int?
    var isBusy = false
    var isOver = false
  }

  /// If this many bytes do not contain the header, the load reports the size.
  private static let byteLimit = 256 << 10
  /// A shorter beginning contains no header.
  private static let firstByteCount = 1 << 10

  /// The number of bytes that are kept while nobody wants the size.
  private static let unaskedByteLimit = 16 << 10

  private let state = Mutex(State())
  private let context: LoadContext
  private let job: SlotID
  private let exchange: HTTPCacheExchange
  private let fetch: FetchWork

  /// - Parameters:
  ///   - job: the job of the download; the header is read at its priority.
  ///   - exchange: has the bytes from which a resumed download continues.
  ///   - fetch: the download. Its progress events report the size, and know the listeners.
  init(_ context: LoadContext, job: SlotID, exchange: HTTPCacheExchange, fetch: FetchWork) {
    self.context = context
    self.job = job
    self.exchange = exchange
    self.fetch = fetch
  }

  /// Reads the size from the beginning of a file, on a decoding thread, before larger pictures of the same priority.
  private func read(_ data: Data, then: @escaping @Sendable (PixelSize?) -> Void) {
    _ = context.runner.enqueue(on: .decode, priority: context.runner.level(of: job), size: 0) { [context] in
      let decoding = context.configuration.decoding
      then(decoding.codecs.header(ofBeginning: data, limits: decoding.limits).size)
    }
  }

  func begin(_ head: HTTPResponseHead) {
    fetch.bodyObserver?.begin(head)
    let isResumed = state.withLock { state in
      guard !state.isOver else { return false }
      state.bytes = Data()
      state.dueByteCount = Self.firstByteCount
      state.expectedByteCount = head.expectedByteCount
      // The beginning of a resumed download does not pass here.
      state.isOver = head.status != 200
      return head.status == 206
    }
    guard isResumed else { return }
    Task.detached { [self] in
      guard let beginning = await exchange.storedPrefix() else { return }
      read(beginning.prefix(Self.byteLimit)) { size in
        if let size { self.fetch.progressEvents.report(size: size) }
      }
    }
  }

  func append(_ bytes: RawSpan) {
    fetch.bodyObserver?.append(bytes)
    // Most downloads have no listener. A short beginning is kept for one that comes a little later.
    let isWanted = fetch.progressEvents.wantsSize
    state.withLock { state in
      guard !state.isOver else { return }
      guard isWanted || state.bytes.count + bytes.byteCount <= Self.unaskedByteLimit else {
        (state.isOver, state.bytes) = (true, Data())
        return
      }
      let count = min(bytes.byteCount, Self.byteLimit - state.bytes.count)
      bytes.withUnsafeBytes { state.bytes.append(contentsOf: $0.prefix(count)) }
    }
    readIfDue()
  }

  /// Reads the header if a listener wants the size and there are enough new bytes.
  func readIfDue() {
    guard state.withLock({ $0.isDue }), fetch.progressEvents.wantsSize else { return }
    let bytes = state.withLock { state -> Data? in
      guard state.isDue else { return nil }
      state.isBusy = true
      state.dueByteCount = state.bytes.count * 2
      return state.bytes
    }
    guard let bytes else { return }
    read(bytes) { [self] size in
      state.withLock { state in
        state.isBusy = false
        state.isOver = state.isOver || size != nil || bytes.count >= Self.byteLimit
        if state.isOver { state.bytes = Data() }
      }
      if let size { fetch.progressEvents.report(size: size) } else { readIfDue() }
    }
  }
}

extension SizeWatch: SizeSource {
  func sizeIsWanted() { readIfDue() }
}

extension SizeWatch.State {
  fileprivate var isDue: Bool {
    !isOver && !isBusy && bytes.count >= dueByteCount && bytes.count != expectedByteCount
  }
}
