import OzuSynchronization

/// A flag that a cancelled Swift task raises for the synchronous work it started elsewhere.
final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  var isRaised: Bool { flag.load(ordering: .relaxed) }

  func raise() { flag.store(true, ordering: .relaxed) }
}
