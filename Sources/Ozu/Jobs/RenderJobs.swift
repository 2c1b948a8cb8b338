import OzuSynchronization

/// The graph of renders: every step that two results have in common is done once.
///
/// A result is made in steps: decode, then one step for each processor. Each step is a node, known by what it starts
/// from and by the steps up to it. A node is made when somebody first wants it and subscribes to the node of the
/// step before, or, as the first of its kind, stands in the line of the decoding threads. When its thread has the
/// result, everybody who waits is resumed; of the nodes that go on from it one is done on the same thread at once,
/// because a picture half way through is memory that nobody can use yet, and the others get in line.
///
/// A node is as urgent as its most urgent subscriber, and so is what it depends on. When its last subscriber
/// leaves it is taken out of the line, or its thread is told, and it leaves the node before in turn; a node that has
/// other subscribers goes on.
///
/// Nodes are not Swift tasks: nothing here suspends, and a step costs a place in a table and one in a queue. One lock
/// guards all nodes; it may be held while the queue's own is taken, never the other way round, and never while
/// anything runs, is resumed or released: nodes hold processors, which are the app's.
///
/// - Complexity: O(steps) to join, to leave and to change the urgency; O(subscribers) to finish.
final class RenderJobs: Sendable {
  typealias Outcome = Result<Rendered, ImageError>

  let state = Mutex(State())
  let queue: WorkQueue
  private let configuration: ImagePipeline.Configuration
  private let events: PipelineEvents

  init(queue: WorkQueue, configuration: ImagePipeline.Configuration, events: PipelineEvents) {
    self.queue = queue
    self.configuration = configuration
    self.events = events
  }

  /// The number of steps that are wanted and not done.
  var count: Int { state.withLock { $0.nodes.count } }

  /// The result of the last step of a way, from nodes that are there or are made.
  ///
  /// - Parameter cancellation: what to throw when the calling task is cancelled.
  func value(
    of way: Way, priority: LivePriority, cancellation: ImageError
  ) async throws(ImageError) -> Rendered {
    let ticket = Ticket(id: state.withLock { $0.makeID() })
    let observation: Observation? =
      if case .changing(let cell) = priority { Observation(cell) } else { nil }
    let timer = waitTimer(ticket, way.name)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let subscriber = Subscriber(target: .waiter(continuation), priority: priority.value)
        guard join(way, subscriber, ticket) else {
          return continuation.resume(returning: .failure(cancellation))
        }
        guard let observation else { return }
        observation.begin { [weak self] in self?.change(ticket, to: priority.value) }
        // What changed before the observation began.
        change(ticket, to: priority.value)
      }
    } onCancel: {
      leave(ticket)?.resume(returning: .failure(cancellation))
    }
    observation?.end()
    timer?.cancel()
    return try outcome.get()
  }

  /// Ends a subscription whose steps have not begun in the time they have to.
  private func waitTimer(_ ticket: Ticket, _ name: String) -> Task<Void, Never>? {
    guard let limit = configuration.stageTimeouts[.wait] else { return nil }
    return Task.detached { [weak self, sleep = configuration.sleep] in
      guard (try? await sleep(limit)) != nil, let self, self.isWaiting(ticket) else { return }
      self.leave(ticket)?.resume(returning: .failure(.deadlineExceeded(name, stage: .wait)))
    }
  }

  private func isWaiting(_ ticket: Ticket) -> Bool {
    state.withLock { _ in
      guard var node = ticket.node else { return false }
      while let prefix = node.prefix?.node { node = prefix }
      return node.place != nil
    }
  }

  // MARK: Joining

  /// A subscription that may be cancelled before it begins. Only touched under the lock, but for the number.
  private final class Ticket: @unchecked Sendable {
    // Unchecked: `RenderJobs.state` is the lock of what is `var`.
    let id: Int
    var isCancelled = false
    var node: Node?

    init(id: Int) { self.id = id }
  }

  private func join(_ way: Way, _ subscriber: Subscriber, _ ticket: Ticket) -> Bool {
    let now = configuration.now()
    let (isAdmitted, newcomer) = state.withLock { state -> (Bool, Node?) in
      if ticket.isCancelled { return (false, nil) }
      let (node, newcomer) = state.node(of: way, at: way.steps.count - 1, now: now)
      ticket.node = node
      node.add(subscriber, id: ticket.id)
      raise(node)
      return (true, newcomer)
    }
    if let newcomer { begin(newcomer) }
    return isAdmitted
  }

  /// Lets a node that was made get in line. Observers are told outside the lock, before it can begin.
  private func begin(_ node: Node) {
    let waiting = events.stageBegan(.wait, of: node.way.name)
    let now = configuration.now()
    let isWanted = state.withLock { _ in
      guard !node.subscribers.isEmpty else { return false }
      node.waiting = waiting
      submit(node, at: now)
      return true
    }
    // The thread that is woken takes the lock at once.
    if isWanted { queue.wake() } else { events.stageEnded(waiting) }
  }

  /// Puts a node into the line of the decoding threads. Under the lock, which is to be opened before they are woken.
  private func submit(_ node: Node, at now: ContinuousClock.Instant) {
    node.stage = .decoder
    node.since = now
    node.place = queue.append(priority: node.priority, size: node.step.byteCount) { self.run(node, nil) }
  }

  /// Brings the line and the nodes before in accord with a node's urgency. Under the lock.
  private func raise(_ node: Node) {
    var node = node
    while true {
      if let place = node.place { queue.move(place, to: node.priority) }
      guard let (prefix, id) = node.prefix, prefix.change(id, to: node.priority) else { return }
      node = prefix
    }
  }

  private func change(_ ticket: Ticket, to priority: ImagePriority) {
    state.withLock { _ in
      guard let node = ticket.node, node.change(ticket.id, to: priority) else { return }
      raise(node)
    }
  }

  // MARK: Leaving

  private func leave(_ ticket: Ticket) -> CheckedContinuation<Outcome, Never>? {
    let (continuation, dropped) = state.withLock {
      state -> (CheckedContinuation<Outcome, Never>?, [Dropped]) in
      ticket.isCancelled = true
      guard let node = ticket.node, let subscriber = node.remove(ticket.id),
        case .waiter(let continuation) = subscriber.target
      else { return (nil, []) }
      return (continuation, abandon(node, &state))
    }
    for drop in dropped { events.stageEnded(drop.waiting) }
    return continuation
  }

  /// A node that was dropped: kept until the lock is open.
  private struct Dropped {
    let node: Node
    /// The stage that ends with it.
    let waiting: ObservedStage?
  }

  /// Drops a node that nobody wants any more, and what only it wanted. Under the lock.
  private func abandon(_ node: Node, _ state: inout State) -> [Dropped] {
    var node = node
    var dropped: [Dropped] = []
    while node.subscribers.isEmpty {
      dropped.append(Dropped(node: node, waiting: node.waiting))
      node.waiting = nil
      node.flag.raise()
      if state.nodes[node.key] === node { state.nodes[node.key] = nil }
      if let place = node.place { queue.remove(place) }
      guard let (prefix, id) = node.prefix else { return dropped }
      node.prefix = nil
      _ = prefix.remove(id)
      node = prefix
    }
    raise(node)
    return dropped
  }

  // MARK: Running

  private func run(_ node: Node, _ previous: Rendered?) {
    var next: (node: Node, previous: Rendered?)? = (node, previous)
    while let (node, previous) = next { next = finish(node, perform(node, previous)) }
  }

  private func perform(_ node: Node, _ previous: Rendered?) -> Outcome {
    let now = configuration.now()
    let waiting = state.withLock { _ in
      node.place = nil
      node.since = now
      if case .process = node.step { node.stage = .processing } else { node.stage = .decoding }
      defer { node.waiting = nil }
      return node.waiting
    }
    events.stageEnded(waiting)
    let flag = node.flag
    let context = RenderStep.Context(
      configuration: configuration, events: events, name: node.way.name, isCancelled: { flag.isRaised },
      submitted: previous == nil ? node.submitted : now)
    do throws(ImageError) {
      return .success(try node.step.run(after: previous, context))
    } catch {
      return .failure(error)
    }
  }

  /// Tells everybody; returns a step that goes on from here, for the calling thread.
  private func finish(_ node: Node, _ outcome: Outcome) -> (node: Node, previous: Rendered?)? {
    var waiters: [CheckedContinuation<Outcome, Never>] = []
    // Kept until the lock is open.
    var over: [Node] = []
    defer { withExtendedLifetime(over) {} }
    let steps = state.withLock { state -> [Node] in
      if state.nodes[node.key] === node { state.nodes[node.key] = nil }
      var ended = [node]
      var steps: [Node] = []
      while let node = ended.popLast() {
        over.append(node)
        for subscriber in node.subscribers.values {
          switch subscriber.target {
          case .waiter(let continuation): waiters.append(continuation)
          case .step(let following):
            following.prefix = nil
            if case .success = outcome {
              steps.append(following)
            } else {
              // A failure is that of every step that would have followed.
              if state.nodes[following.key] === following { state.nodes[following.key] = nil }
              ended.append(following)
            }
          }
        }
        node.subscribers = [:]
      }
      guard case .success(let rendered) = outcome else { return [] }
      for following in steps.dropFirst() {
        following.stage = .decoder
        following.place = queue.append(priority: following.priority) { self.run(following, rendered) }
      }
      return steps
    }
    for _ in steps.dropFirst() { queue.wake() }
    for waiter in waiters { waiter.resume(returning: outcome) }
    guard let following = steps.first, case .success(let rendered) = outcome else { return nil }
    return (following, rendered)
  }
}
