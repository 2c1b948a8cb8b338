/// The nodes of the graph: what is known of each step that is wanted and not done.
extension RenderJobs {
  /// What tells one node from another: the object that the first step starts from (alive as long as the node), and
  /// the recipe up to this step.
  struct Key: Hashable, Sendable {
    let origin: ObjectIdentifier
    let recipe: CacheKey
    /// Not zero where work is not shared.
    let number: Int
  }

  /// A way of steps; `keys` has a key for each.
  struct Way: Sendable {
    /// What the steps start from: held by every node, so that its address is not given to another object.
    let origin: any AnyObject & Sendable
    let name: String
    let keys: [Key]
    let steps: [RenderStep]
  }

  /// A class, so that a look at a node never copies its table. Only touched under the lock, but for what never
  /// changes.
  final class Node: @unchecked Sendable {
    // Unchecked: `RenderJobs.state` is the lock of everything that is `var`.
    let key: Key
    let way: Way
    let index: Int
    let flag = CancellationFlag()
    let submitted: ContinuousClock.Instant
    var subscribers: [Int: Subscriber] = [:]
    var counts = ImagePriority.allCases.map { _ in 0 }
    var stage = PipelineDiagnostics.Waiting.step
    var since: ContinuousClock.Instant
    /// Its number in the queue's line, while it stands there.
    var place: Int?
    /// The stage of standing in line, as observers are told of it.
    var waiting: ObservedStage?
    /// What it waits for, and its number there.
    var prefix: (node: Node, id: Int)?

    init(key: Key, way: Way, index: Int, now: ContinuousClock.Instant) {
      self.key = key
      self.way = way
      self.index = index
      submitted = now
      since = now
    }

    var step: RenderStep { way.steps[index] }

    var priority: ImagePriority {
      counts.lastIndex { $0 > 0 }.flatMap(ImagePriority.init(rawValue:)) ?? .veryLow
    }
  }

  struct Subscriber {
    enum Target {
      case waiter(CheckedContinuation<Outcome, Never>)
      case step(Node)
    }

    let target: Target
    var priority: ImagePriority
  }

  struct State {
    var nodes: [Key: Node] = [:]
    var lastID = 0
  }
}

extension RenderJobs.State {
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// The node of a step, made with all before it if it is not there.
  ///
  /// - Returns: the node, and the one that was made and has nothing to wait for.
  mutating func node(
    of way: RenderJobs.Way, at index: Int, now: ContinuousClock.Instant
  ) -> (node: RenderJobs.Node, newcomer: RenderJobs.Node?) {
    if let node = nodes[way.keys[index]] { return (node, nil) }
    let node = RenderJobs.Node(key: way.keys[index], way: way, index: index, now: now)
    nodes[node.key] = node
    guard index > 0 else { return (node, node) }
    let (prefix, newcomer) = self.node(of: way, at: index - 1, now: now)
    let id = makeID()
    prefix.add(RenderJobs.Subscriber(target: .step(node), priority: .veryLow), id: id)
    node.prefix = (prefix, id)
    return (node, newcomer)
  }
}

extension RenderJobs.Node {
  func add(_ subscriber: RenderJobs.Subscriber, id: Int) {
    subscribers[id] = subscriber
    counts[subscriber.priority.rawValue] += 1
  }

  func remove(_ id: Int) -> RenderJobs.Subscriber? {
    guard let subscriber = subscribers.removeValue(forKey: id) else { return nil }
    counts[subscriber.priority.rawValue] -= 1
    return subscriber
  }

  /// Returns whether the urgency of the subscriber is another now.
  func change(_ id: Int, to priority: ImagePriority) -> Bool {
    guard let old = subscribers[id]?.priority, old != priority else { return false }
    counts[old.rawValue] -= 1
    counts[priority.rawValue] += 1
    subscribers[id]?.priority = priority
    return true
  }
}
