import Foundation

extension ImageTask {
  /// An event of a load.
  public enum Event: Sendable {
    /// Bytes have arrived.
    case progress(LoadProgress)
    /// The size of the upright picture of the source, in pixels and before any recipe, as soon as the received bytes
    /// contain it. Views can reserve space for it. Reported once, before previews; not reported if the picture itself
    /// is available as soon, from a cache, a file or a small body.
    case size(PixelSize)
    /// A preview can be shown (`Picture.isPreview`).
    case preview(ImageResponse)
    /// The end. It comes once and last.
    case finished(Result<ImageResponse, ImageError>)
  }

  /// All events of the load, in order. A stream that begins late first receives the latest progress, the latest
  /// preview and the end, if there have been any. Each call makes a new stream; dropping a stream does not cancel the
  /// load.
  public var events: AsyncStream<Event> { stream(.unbounded) { .events($0) } }

  /// The progress of the download, beginning with the latest value. The stream ends with the task. Each call makes a
  /// new stream. A slow reader misses intermediate values, never the last.
  public var progress: AsyncStream<LoadProgress> { stream(.bufferingNewest(1)) { .progress($0) } }

  /// The previews of the picture while it loads, beginning with the latest. The stream ends with the task, without
  /// the finished picture. A slow reader misses intermediate previews.
  public var previews: AsyncStream<ImageResponse> { stream(.bufferingNewest(1)) { .previews($0) } }

  /// The size of the upright picture of the source, in pixels and before any recipe; `nil` while it is not known.
  public var sourceSize: PixelSize? {
    let (work, size, ending) = state.withLock { ($0.work, $0.sideState?.size, $0.ending) }
    if let size = work?.progressEvents.latest.size ?? size { return size }
    guard let ending, case .success(let response) = outcome(of: ending) else { return nil }
    return response.picture.header?.size
  }

  /// The latest progress of the download; `nil` before it began, or if nothing had to be downloaded.
  public var currentProgress: LoadProgress? {
    // The task does not subscribe to progress for this, so that a task that is never asked costs nothing while bytes
    // arrive.
    let (work, progress) = state.withLock { ($0.work, $0.progress) }
    return work?.progressEvents.latest.progress ?? progress
  }

  /// The status of a task.
  public struct Status: Sendable {
    /// The state of a task: running, finished, failed or cancelled.
    public enum State: String, Hashable, Sendable {
      /// It waits or its work runs.
      case running
      /// It has its picture.
      case finished
      /// It has an error.
      case failed
      /// It was cancelled.
      case cancelled
    }

    /// The state.
    public let state: State
    /// The latest progress of the download.
    public let progress: LoadProgress?
    /// The priority.
    public let priority: ImagePriority
    /// The time since the start of a running task, or the duration of a finished one. `nil` for a task that failed or
    /// was cancelled.
    public let duration: Duration?
  }

  /// The current status of the task.
  public var status: Status {
    let now = start.duration(to: pipeline.configuration.instant)
    let (state, duration): (Status.State, Duration?) =
      switch result {
      case nil: (.running, now)
      case .success(let response): (.finished, response.timings[.total])
      case .failure(let error): (error.isCancellation ? .cancelled : .failed, nil)
      }
    return Status(state: state, progress: currentProgress, priority: priority, duration: duration)
  }

  /// The progress of the download in bytes, for views and code that use Foundation's `Progress`. It is indeterminate
  /// while the length is not known, and complete when the picture is available. Cancelling it cancels the load. Every
  /// call returns the same object, which has no parent until the app gives it one.
  public var foundationProgress: Progress {
    let (report, isNew) = state.withLock { state in
      let sideState = state.makeSideState()
      if let report = sideState.foundationProgress { return (report, false) }
      let report = Progress.ofDownload { [weak self] in self?.cancel() }
      sideState.foundationProgress = report
      return (report, true)
    }
    if isNew { subscribe(.foundation(report)) }
    return report
  }

  /// Takes over the size of the picture from the inner task.
  func relay(size: PixelSize) {
    state.withLock { state in
      guard state.ending == nil else { return }
      state.makeSideState().enqueue(size: size)
    }
  }

  /// Takes over the progress of the inner task. Called under the lock of that task, which is therefore taken before
  /// the lock of this one; that task delivers the events afterwards.
  func relay(_ progress: LoadProgress?, preview: ImageResponse?) {
    state.withLock { state in
      guard state.ending == nil else { return }
      state.progress = progress
      let sideState = state.makeSideState()
      if let preview { sideState.preview = preview }
      sideState.enqueue(progress, preview: preview)
    }
  }

  private func stream<Element: Sendable>(
    _ buffering: AsyncStream<Element>.Continuation.BufferingPolicy,
    _ subscriber: (AsyncStream<Element>.Continuation) -> TaskSubscriber
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
    if let id = subscribe(subscriber(continuation)) {
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.sideState?.removeSubscriber(id) }
      }
    }
    return stream
  }

  /// Adds a subscriber, and delivers the state so far to it.
  ///
  /// - Returns: its identifier; `nil` if the task has ended.
  @discardableResult
  private func subscribe(_ subscriber: TaskSubscriber) -> Int? {
    let id = state.withLock { state -> Int? in
      let sideState = state.makeSideState()
      if let progress = state.progress {
        sideState.pendingEvents.append(.progress(subscriber, progress, nil))
      }
      if let size = sideState.size { sideState.pendingEvents.append(.size(subscriber, size)) }
      if let preview = sideState.preview {
        sideState.pendingEvents.append(.progress(subscriber, state.progress, preview))
      }
      if let ending = state.ending {
        sideState.pendingEvents.append(.end([subscriber], ending))
        return nil
      }
      sideState.lastSubscriberID += 1
      sideState.subscribers.append((sideState.lastSubscriberID, subscriber))
      return sideState.lastSubscriberID
    }
    deliverEvents()
    if id != nil { listen() }
    return id
  }
}

extension ImageTask {
  /// Subscribes to the progress events of its job, including the latest one.
  private func listen() {
    let work = state.withLock { state -> LoadImage? in
      if state.isListening { return nil }
      state.isListening = true
      return state.work
    }
    work?.progressEvents.add(self)
  }
}

extension Picture {
  /// The same picture at the scale of a request; it shares its pixels.
  func at(scale request: ImageRequest) -> Picture {
    guard request.hasScale, request.scale != scale else { return self }
    return withScale(request.scale)
  }
}

extension ImageTask.SideState {
  /// Removes a subscriber. The caller releases it outside the lock.
  fileprivate func removeSubscriber(_ id: Int) -> TaskSubscriber? {
    subscribers.firstIndex { $0.id == id }.map { subscribers.remove(at: $0).subscriber }
  }
}
