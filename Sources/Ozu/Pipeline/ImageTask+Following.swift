import Foundation

extension ImageTask {
  /// What happens to a load.
  public enum Event: Sendable {
    /// Bytes have arrived.
    case progress(LoadProgress)
    /// The size of the upright picture of the source, in pixels and before any recipe, as soon as the bytes that arrive
    /// say it: views can reserve its place. Told once, before previews; not when the picture is there as soon, from a
    /// cache, a file or a small body.
    case size(PixelSize)
    /// A part of the picture can be shown (`Picture.isPreview`).
    case preview(ImageResponse)
    /// The end, which comes once and is the last.
    case finished(Result<ImageResponse, ImageError>)
  }

  /// All that happens, in order. Whoever comes late hears the latest progress, the latest preview and the end, if they
  /// have been. Each call makes a stream of its own; dropping one leaves the load alone.
  public var events: AsyncStream<Event> { stream(.unbounded) { .events($0) } }

  /// The download's progress from now on, the latest first; it ends with the task. Each call makes a stream of
  /// its own. A reader that is slow misses intermediate values, never the last.
  public var progress: AsyncStream<LoadProgress> { stream(.bufferingNewest(1)) { .progress($0) } }

  /// What can be shown of the picture while it loads, the latest first; it ends with the task. The finished picture
  /// is not among them. A reader that is slow misses intermediate ones.
  public var previews: AsyncStream<ImageResponse> { stream(.bufferingNewest(1)) { .previews($0) } }

  /// The size of the upright picture of the source, in pixels and before any recipe; `nil` as long as it is not known.
  public var sourceSize: PixelSize? {
    let (work, size, ending) = state.withLock { ($0.work, $0.company?.size, $0.ending) }
    if let size = work?.news.latest.size ?? size { return size }
    guard let ending, case .success(let response) = outcome(of: ending) else { return nil }
    return response.picture.header?.size
  }

  /// The download's latest progress; `nil` before it began, or when nothing had to be downloaded.
  public var currentProgress: LoadProgress? {
    // Nobody may listen, so that a task that nobody asks costs nothing while bytes arrive.
    let (work, progress) = state.withLock { ($0.work, $0.progress) }
    return work?.news.latest.progress ?? progress
  }

  /// How a task stands.
  public struct Status: Sendable {
    /// Whether a task runs, or how it has ended.
    public enum State: String, Hashable, Sendable {
      /// It waits or is worked for.
      case running
      /// It has its picture.
      case finished
      /// It has an error.
      case failed
      /// It was called off.
      case cancelled
    }

    /// Whether it runs, or how it has ended.
    public let state: State
    /// The download's latest progress.
    public let progress: LoadProgress?
    /// How urgent it is.
    public let priority: ImagePriority
    /// How long ago it was started or, once it has ended, how long it took. `nil` for one that has failed.
    public let duration: Duration?
  }

  /// How the task stands now.
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

  /// The download's progress for views and code that know Foundation's `Progress`, in bytes: indeterminate while the
  /// whole is not known, complete when the picture is there. Cancelling it cancels the load. The same object each
  /// time; it has no parent until it is given one.
  public var foundationProgress: Progress {
    let (report, isNew) = state.withLock { state in
      let company = state.makeCompany()
      if let report = company.foundationProgress { return (report, false) }
      let report = Progress.discreteProgress(totalUnitCount: -1)
      report.isCancellable = true
      report.isPausable = false
      report.cancellationHandler = { [weak self] in self?.cancel() }
      company.foundationProgress = report
      return (report, true)
    }
    if isNew { follow(.foundation(report)) }
    return report
  }

  /// The same for the size of the picture.
  func relay(size: PixelSize) {
    state.withLock { state in
      guard state.ending == nil else { return }
      state.makeCompany().note(size: size)
    }
  }

  /// Takes in what the load inside the interceptors hears. Under the lock of that load, which tells after it.
  func relay(_ progress: LoadProgress?, preview: ImageResponse?) {
    state.withLock { state in
      guard state.ending == nil else { return }
      state.progress = progress
      let company = state.makeCompany()
      if let preview { company.preview = preview }
      company.note(progress, preview: preview)
    }
  }

  private func stream<Element: Sendable>(
    _ buffering: AsyncStream<Element>.Continuation.BufferingPolicy,
    _ follower: (AsyncStream<Element>.Continuation) -> TaskFollower
  ) -> AsyncStream<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: buffering)
    if let id = follow(follower(continuation)) {
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.company?.removeFollower(id) }
      }
    }
    return stream
  }

  /// Adds one who follows, and tells what has been.
  ///
  /// - Returns: its number; `nil` when the task has ended.
  @discardableResult
  private func follow(_ follower: TaskFollower) -> Int? {
    let id = state.withLock { state -> Int? in
      let company = state.makeCompany()
      if let progress = state.progress { company.notes.append(.news(follower, progress, nil)) }
      if let size = company.size { company.notes.append(.size(follower, size)) }
      if let preview = company.preview { company.notes.append(.news(follower, state.progress, preview)) }
      if let ending = state.ending {
        company.notes.append(.end([follower], ending))
        return nil
      }
      company.lastFollowerID += 1
      company.followers.append((company.lastFollowerID, follower))
      return company.lastFollowerID
    }
    tellFollowers()
    if id != nil { listen() }
    return id
  }
}

extension ImageTask {
  /// Hears the news of its job from now on, those that are there at once.
  private func listen() {
    let work = state.withLock { state -> LoadImage? in
      if state.isListening { return nil }
      state.isListening = true
      return state.work
    }
    work?.news.add(self)
  }
}

extension Picture {
  /// The same picture at the scale that a request asks for; it shares its pixels.
  func at(scale request: ImageRequest) -> Picture {
    guard request.hasScale, request.scale != scale else { return self }
    return withScale(request.scale)
  }
}

extension ImageTask.Company {
  /// Takes out a follower, which the caller releases outside of the lock.
  fileprivate func removeFollower(_ id: Int) -> TaskFollower? {
    followers.firstIndex { $0.id == id }.map { followers.remove(at: $0).follower }
  }
}
