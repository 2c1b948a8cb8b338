import Foundation

extension ImageTask {
  /// What stands around few tasks: those who follow them, previews, interceptors. Made when there is something of it,
  /// so that ten thousand tasks that only wait are small.
  final class Company: @unchecked Sendable {
    // Unchecked: touched under the lock of its task alone.

    /// As observers are told of the task; `nil` when there are none, or the task is inside another.
    var observed: ObservedRequest?
    var preview: ImageResponse?
    /// The size of the picture of the source, once it is known.
    var size: PixelSize?
    var furtherWaiters: [UnsafeContinuation<Void, Never>] = []
    var followers: [(id: Int, follower: TaskFollower)] = []
    var lastFollowerID = 0
    /// What followers have yet to be told, in order.
    var notes: [Note] = []
    /// Whether a thread is telling them.
    var isTelling = false
    /// Made when it is asked for.
    var foundationProgress: Progress?
    /// The error of the first source, and how many alternatives have been tried.
    var failure: (error: ImageError, triedCount: Int)?
    /// The interceptors and the deadline at work.
    var surroundings: [Task<Void, Never>] = []
    /// The load inside the interceptors.
    var inner: ImageTask?

    /// Notes news for all followers.
    func note(_ progress: LoadProgress?, preview: ImageResponse?) {
      for (_, follower) in followers {
        notes.append(.news(follower, progress, preview))
        // What the load inside the interceptors has heard, the task has heard, before either ends.
        if case .outer(let task) = follower { task.relay(progress, preview: preview) }
      }
    }

    /// Notes the size of the picture for all followers.
    func note(size: PixelSize) {
      self.size = size
      for (_, follower) in followers {
        notes.append(.size(follower, size))
        if case .outer(let task) = follower { task.relay(size: size) }
      }
    }

    /// Takes out those who hear of the end. When there are followers they are noted: the waiters resume after them.
    func leave(_ waiter: UnsafeContinuation<Void, Never>?, _ ending: Ending) -> Leaving {
      var waiters = furtherWaiters
      if let waiter { waiters.append(waiter) }
      if !followers.isEmpty {
        notes.append(.end(followers.map(\.follower), ending))
        notes.append(.resume(waiters))
        waiters = []
      }
      defer { (furtherWaiters, followers, surroundings, inner) = ([], [], [], nil) }
      return Leaving(
        observed: observed, waiters: waiters, followers: followers, surroundings: surroundings, inner: inner)
    }
  }

  /// What is told outside of the lock.
  enum Note {
    case news(TaskFollower, LoadProgress?, ImageResponse?)
    case size(TaskFollower, PixelSize)
    case end([TaskFollower], Ending)
    case resume([UnsafeContinuation<Void, Never>])
  }

  /// Those who are told of the end. An object, so that a task without company copies nothing of it.
  final class Leaving: Sendable {
    let observed: ObservedRequest?
    /// Those who resume at once.
    let waiters: [UnsafeContinuation<Void, Never>]
    /// Released outside of the lock.
    let followers: [(id: Int, follower: TaskFollower)]
    let surroundings: [Task<Void, Never>]
    /// Released outside of the lock.
    let inner: ImageTask?

    init(
      observed: ObservedRequest?, waiters: [UnsafeContinuation<Void, Never>],
      followers: [(id: Int, follower: TaskFollower)], surroundings: [Task<Void, Never>], inner: ImageTask?
    ) {
      self.observed = observed
      self.waiters = waiters
      self.followers = followers
      self.surroundings = surroundings
      self.inner = inner
    }
  }
}

extension ImageTask.State {
  /// The company, made if there was none.
  mutating func makeCompany() -> ImageTask.Company {
    if let company { return company }
    let new = ImageTask.Company()
    company = new
    return new
  }
}

extension ImageTask {
  /// Tells followers what is noted for them, in order. Called under no lock: observers of a `Progress` are the app's,
  /// and so may be the executor of a task that reads a stream.
  ///
  /// One thread at a time tells. Another that comes meanwhile returns, and what it has noted is told by the first; so
  /// does code of the app that is told and calls the task.
  func tellFollowers() {
    guard state.withLock({ $0.company?.beginTelling() ?? false }) else { return }
    while let notes = state.withLock({ $0.company?.takeNotes() }) {
      for note in notes { tell(note) }
    }
  }

  private func tell(_ note: Note) {
    switch note {
    case .news(let follower, let progress, let preview): follower.receive(progress, preview: preview)
    case .size(let follower, let size): follower.receive(size)
    case .end(let followers, let ending):
      let outcome = outcome(of: ending)
      for follower in followers { follower.finish(outcome) }
    case .resume(let waiters): for waiter in waiters { waiter.resume() }
    }
  }
}

extension ImageTask.Company {
  fileprivate func beginTelling() -> Bool {
    guard !isTelling, !notes.isEmpty else { return false }
    isTelling = true
    return true
  }

  /// What is noted; `nil` at the end of telling.
  fileprivate func takeNotes() -> [ImageTask.Note]? {
    defer { notes = [] }
    guard notes.isEmpty else { return notes }
    isTelling = false
    return nil
  }
}
