import OzuBase

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
    return listener?.wantsSize ?? false || others.values.contains(where: \.wantsSize)
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
    let told = state.withLock {
      state -> (ProgressEvent, (any ProgressListener)?, [ObjectIdentifier: any ProgressListener])? in
      if let number {
        guard number > state.relayed else { return nil }
        state.relayed = number
      }
      state.event.number = Self.lastNumber.add(1, ordering: .relaxed).newValue
      change(&state.event)
      return (state.event, state.listener, state.others)
    }
    guard let (event, listener, others) = told else { return }
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
    _ = state.withLock { state in
      state.listener === listener
        ? state.listener.take() : state.others.removeValue(forKey: ObjectIdentifier(listener))
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
