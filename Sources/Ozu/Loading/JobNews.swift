import OzuSynchronization

/// What running work has told so far: replaced as it goes on, so that a latecomer hears where things stand.
struct JobNews: Sendable {
  /// Counts what all work of the process has told. Two threads may carry news at once; the higher number is the later,
  /// also for one who has gone from one job to the next. 0 before there are any.
  var number = 0
  /// How much of the download has arrived.
  var progress: LoadProgress?
  /// The latest part of the picture that can be shown.
  var preview: Preview?
  /// The size of the upright picture of the source, as its file states it.
  var size: PixelSize?

  /// A part of the picture, an object: most jobs have none, and each of thousands who wait is told of it.
  final class Preview: Sendable {
    /// The number it was told under.
    let number: Int
    let picture: Picture

    init(_ picture: Picture, number: Int) {
      self.number = number
      self.picture = picture
    }
  }
}

/// One who hears the news of work. Called under no lock; news may come out of order and twice: their numbers tell.
protocol NewsListener: AnyObject, Sendable {
  func hear(_ news: JobNews)

  /// Whether it, or somebody it tells, cares for the size of the picture.
  var wantsSize: Bool { get }
}

/// Finds out the size of a picture when somebody wants to know it.
protocol SizeSource: AnyObject, Sendable {
  /// Called under no lock.
  func sizeIsWanted()
}

/// The news of one piece of work, and those who want to hear them. One lock guards both. A part of the work, because
/// thousands of jobs that wait have one each.
///
/// - Complexity: O(1) to join and to leave; O(listeners) to tell.
struct NewsBoard: ~Copyable, Sendable {
  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  struct State {
    var news = JobNews()
    /// Most work has one listener, which needs no table.
    var listener: (any NewsListener)?
    var others: [ObjectIdentifier: any NewsListener] = [:]
    /// The number of the latest news of other work that were passed on.
    var relayed = 0
    /// Told when somebody comes who cares for the size.
    var sizeSource: (any SizeSource)?
    var isClosed = false
  }

  private let state = Mutex(State())
  private static let lastNumber = Atomic(0)

  var latest: JobNews { state.withLock { $0.news } }

  /// Tells all listeners, those that come later included.
  func report(_ progress: LoadProgress) { tell { $0.progress = progress } }

  /// Shows all listeners a part of the picture. Those that come later see the latest.
  func report(preview: Picture) { tell { $0.preview = JobNews.Preview(preview, number: $0.number) } }

  /// Tells all listeners how large the picture is, those that come later included.
  func report(size: PixelSize) {
    if latest.size != size { tell { $0.size = size } }
  }

  /// Whether somebody cares for the size of the picture.
  var wantsSize: Bool {
    let (listener, others) = state.withLock { ($0.listener, $0.others) }
    return listener?.wantsSize ?? false || others.values.contains(where: \.wantsSize)
  }

  /// Passes on the progress and the size that other work has told, unless something later has been passed on: two threads
  /// may carry news at once, and the older must not come last under a higher number.
  func relay(_ other: JobNews) {
    tell(ifNewer: other.number) { news in
      if let progress = other.progress { news.progress = progress }
      if let size = other.size { news.size = size }
    }
  }

  /// - Parameter number: of news of other work; `nil` for news of this.
  private func tell(ifNewer number: Int? = nil, _ change: (inout JobNews) -> Void) {
    let told = state.withLock {
      state -> (JobNews, (any NewsListener)?, [ObjectIdentifier: any NewsListener])? in
      if let number {
        guard number > state.relayed else { return nil }
        state.relayed = number
      }
      state.news.number = Self.lastNumber.add(1, ordering: .relaxed).newValue
      change(&state.news)
      return (state.news, state.listener, state.others)
    }
    guard let (news, listener, others) = told else { return }
    listener?.hear(news)
    for listener in others.values { listener.hear(news) }
  }

  /// Sets who is told whenever somebody comes who cares for the size of the picture. Kept alive until the board is closed.
  func setSizeSource(_ source: any SizeSource) {
    let former = state.withLock { state -> (any SizeSource)? in
      if state.isClosed { return nil }
      defer { state.sizeSource = source }
      return state.sizeSource
    }
    withExtendedLifetime(former) {}
  }

  /// Tells a listener news from now on, those that are there at once.
  func add(_ listener: any NewsListener) {
    let news = state.withLock { state in
      let id = ObjectIdentifier(listener)
      // Work that is over tells nobody, and keeps nobody alive.
      if state.isClosed { return state.news }
      if state.listener === listener || state.listener == nil && state.others[id] == nil {
        state.listener = listener
      } else {
        state.others[id] = listener
      }
      return state.news
    }
    if news.number > 0 { listener.hear(news) }
    if news.size == nil, listener.wantsSize { sizeIsWanted() }
  }

  func remove(_ listener: any NewsListener) {
    // Released outside of the lock.
    _ = state.withLock { state in
      state.listener === listener
        ? state.listener.take() : state.others.removeValue(forKey: ObjectIdentifier(listener))
    }
  }

  /// Forgets all listeners: there will be no news any more.
  func close() {
    // Released outside of the lock.
    let former = state.withLock { state in
      defer { (state.listener, state.others, state.sizeSource, state.isClosed) = (nil, [:], nil, true) }
      return (state.listener, state.others, state.sizeSource)
    }
    withExtendedLifetime(former) {}
  }
}

extension NewsBoard {
  /// Somebody cares for the size, here or further on.
  func sizeIsWanted() { state.withLock { $0.sizeSource }?.sizeIsWanted() }
}
