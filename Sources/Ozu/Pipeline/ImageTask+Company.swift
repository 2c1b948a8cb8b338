import Foundation

extension ImageTask {
  /// What stands around few tasks: those who follow them, previews, interceptors. Made when there is something of it,
  /// so that ten thousand tasks that only wait are small.
  final class Company: @unchecked Sendable {
    // Unchecked: touched under the lock of its task alone.

    /// As observers are told of the task; `nil` when there are none, or the task is inside another.
    var observed: ObservedRequest?
    var preview: ImageResponse?
    var furtherWaiters: [UnsafeContinuation<Void, Never>] = []
    var followers: [(id: Int, follower: TaskFollower)] = []
    var lastFollowerID = 0
    /// Made when it is asked for.
    var foundationProgress: Progress?
    /// The error of the first source, and how many alternatives have been tried.
    var failure: (error: ImageError, triedCount: Int)?
    /// The interceptors and the deadline at work.
    var surroundings: [Task<Void, Never>] = []
    /// The load inside the interceptors.
    var inner: ImageTask?

    /// Takes out those who are told of the end.
    func leave() -> Leaving {
      defer { (furtherWaiters, followers, surroundings, inner) = ([], [], [], nil) }
      return Leaving(
        observed: observed, furtherWaiters: furtherWaiters, followers: followers, surroundings: surroundings,
        inner: inner)
    }
  }

  /// Those who are told of the end. An object, so that a task without company copies nothing of it.
  final class Leaving: Sendable {
    let observed: ObservedRequest?
    let furtherWaiters: [UnsafeContinuation<Void, Never>]
    let followers: [(id: Int, follower: TaskFollower)]
    let surroundings: [Task<Void, Never>]
    /// Released outside of the lock.
    let inner: ImageTask?

    init(
      observed: ObservedRequest?, furtherWaiters: [UnsafeContinuation<Void, Never>],
      followers: [(id: Int, follower: TaskFollower)], surroundings: [Task<Void, Never>], inner: ImageTask?
    ) {
      self.observed = observed
      self.furtherWaiters = furtherWaiters
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
