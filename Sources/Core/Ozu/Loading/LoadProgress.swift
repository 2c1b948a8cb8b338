import OzuBase
import OzuHTTP

/// The latest progress of a running job. A new event replaces the one before, so a subscriber that comes late
/// receives the current state.
struct ProgressEvent: Sendable {
  /// A counter over all events of the process. Two threads may deliver events at once; the higher number is the later
  /// event, also for a subscriber that has moved from one job to the next. 0 before the first event.
  var number = 0
  /// How much of the download has arrived.
  var progress: LoadProgress?
  /// The latest part of the picture that can be shown.
  var preview: Preview?
  /// The size of the upright picture of the source, as its file states it.
  var size: PixelSize?

  /// A preview of the picture. An object, because most jobs have none, and an event is copied for each of thousands
  /// of subscribers.
  final class Preview: Sendable {
    /// The number of the event that delivered it.
    let number: Int
    let picture: Picture

    init(_ picture: Picture, number: Int) {
      self.number = number
      self.picture = picture
    }
  }
}

/// Receives the progress events of a job. Called outside all locks; events may come out of order and twice, and their
/// numbers tell.
protocol ProgressListener: AnyObject, Sendable {
  func receive(_ event: ProgressEvent)

  /// Whether it, or a listener behind it, wants the size of the picture.
  var wantsSize: Bool { get }
}

/// Work that reports its progress. `Sendable`, because its only member is.
class ReportingWork: JobWork, @unchecked Sendable {
  final let progressEvents = ProgressBroadcast()
}

/// Finds out the size of a picture when a listener wants it.
protocol SizeSource: AnyObject, Sendable {
  /// Called outside all locks.
  func sizeIsWanted()
}

/// The progress events of one job, and their listeners. One lock guards both. A struct inside the work, not an
/// object, because thousands of waiting jobs have one each.
///
/// - Complexity: O(1) to add and to remove a listener; O(listeners) to report.
struct ProgressBroadcast: ~Copyable, Sendable {
  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  struct State {
    var event = ProgressEvent()
    /// The first listener. Most jobs have only this one, which needs no table.
    var listener: (any ProgressListener)?
    var others: [ObjectIdentifier: any ProgressListener] = [:]
    /// The number of the latest event of another job that was passed on.
    var relayed = 0
    /// Notified when a listener is added that wants the size.
    var sizeSource: (any SizeSource)?
    var isClosed = false
  }

  private let state = Mutex(State())
  private static let lastNumber = Atomic(0)

  var latest: ProgressEvent { state.withLock { $0.event } }

  /// Reports progress to all listeners, and to later ones when they are added.
  func report(_ progress: LoadProgress) { tell { $0.progress = progress } }

  /// Reports a preview to all listeners. A listener that is added later receives the latest one.
  func report(preview: Picture) { tell { $0.preview = ProgressEvent.Preview(preview, number: $0.number) } }

  /// Reports the size of the picture to all listeners, and to later ones when they are added.
  func report(size: PixelSize) {
    if latest.size != size { tell { $0.size = size } }
  }

  /// Whether a listener wants the size of the picture.
  var wantsSize: Bool {
    let (listener, others) = state.withLock { ($0.listener, $0.others) }
    return listener?.wantsSize ?? false || !others.isEmpty && others.values.contains(where: \.wantsSize)
  }

  /// Passes on the progress and the size from an event of another job, unless a later event has been passed on: two
  /// threads may deliver events at once, and the older one must not come last under a higher number.
  func relay(_ other: ProgressEvent) {
    tell(ifNewer: other.number) { event in
      if let progress = other.progress { event.progress = progress }
      if let size = other.size { event.size = size }
    }
  }

  /// - Parameter number: the number of the event of another job; `nil` for an event of this job.
  private func tell(ifNewer number: Int? = nil, _ change: (inout ProgressEvent) -> Void) {
    // Not returned together: an optional of several values would be copied and destroyed by slow calls.
    var event = ProgressEvent()
    var others: [ObjectIdentifier: any ProgressListener] = [:]
    let listener = state.withLock { state -> (any ProgressListener)? in
      if let number {
        guard number > state.relayed else { return nil }
        state.relayed = number
      }
      state.event.number = Self.lastNumber.add(1, ordering: .relaxed).newValue
      change(&state.event)
      (event, others) = (state.event, state.others)
      return state.listener
    }
    listener?.receive(event)
    for listener in others.values { listener.receive(event) }
  }

  /// Sets the object that is notified when a listener is added that wants the size of the picture. It is kept alive
  /// until `close`.
  func setSizeSource(_ source: any SizeSource) {
    let former = state.withLock { state -> (any SizeSource)? in
      if state.isClosed { return nil }
      defer { state.sizeSource = source }
      return state.sizeSource
    }
    withExtendedLifetime(former) {}
  }

  /// Adds a listener. It receives the latest event at once, if there is one.
  func add(_ listener: any ProgressListener) {
    let event = state.withLock { state in
      let id = ObjectIdentifier(listener)
      // A finished job reports nothing more, and keeps no listener alive.
      if state.isClosed { return state.event }
      if state.listener === listener || state.listener == nil && state.others[id] == nil {
        state.listener = listener
      } else {
        state.others[id] = listener
      }
      return state.event
    }
    if event.number > 0 { listener.receive(event) }
    if event.size == nil, listener.wantsSize { sizeIsWanted() }
  }

  func remove(_ listener: any ProgressListener) {
    // Released outside of the lock.
    _ = state.withLock { state -> (any ProgressListener)? in
      if state.listener === listener { return state.listener.take() }
      return state.others.isEmpty ? nil : state.others.removeValue(forKey: ObjectIdentifier(listener))
    }
  }

  /// Removes all listeners. There will be no more events.
  func close() {
    // Released outside of the lock.
    let former = state.withLock { state in
      defer { (state.listener, state.others, state.sizeSource, state.isClosed) = (nil, [:], nil, true) }
      return (state.listener, state.others, state.sizeSource)
    }
    withExtendedLifetime(former) {}
  }
}

extension ProgressBroadcast {
  /// Called when a listener, here or of a job behind this one, wants the size.
  func sizeIsWanted() { state.withLock { $0.sizeSource }?.sizeIsWanted() }
}

/// How much of a download has arrived.
public struct LoadProgress: Hashable, Sendable {
  /// Bytes received so far.
  public var receivedByteCount: Int
  /// The length of the body in bytes; `nil` if the server did not state it.
  public var expectedByteCount: Int?

  /// Makes a progress value.
  public init(receivedByteCount: Int, expectedByteCount: Int?) {
    self.receivedByteCount = receivedByteCount
    self.expectedByteCount = expectedByteCount
  }

  /// The fraction from 0 to 1; `nil` if the length is not known.
  public var fraction: Double? {
    guard let expectedByteCount, expectedByteCount > 0 else { return nil }
    return min(1, Double(receivedByteCount) / Double(expectedByteCount))
  }
}

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
      bytes.extracting(first: count).withUnsafeBytes { state.bytes.append(contentsOf: $0) }
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
