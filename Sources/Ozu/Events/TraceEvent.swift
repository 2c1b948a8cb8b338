/// One event of a trace, in the form of the Trace Event Format that Chrome's tracing page and Perfetto read.
struct TraceEvent: Encodable {
  /// The kind of event, as a letter of the format.
  enum Phase: String, Encodable {
    /// A span on a lane, with its duration.
    case complete = "X"
    /// The beginning of a span that belongs to no lane. Its end has the same category and id.
    case asyncBegin = "b"
    case asyncEnd = "e"
    /// An instant on a lane.
    case instant = "i"
    /// New values of counters.
    case counter = "C"
    /// A name for a process or a lane.
    case metadata = "M"
  }

  /// A value among the arguments.
  enum Argument: Encodable {
    case text(String)
    case number(Int)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .number(let number): try container.encode(number)
      }
    }
  }

  let name: String
  let cat: String
  let ph: Phase
  /// Microseconds since the first event.
  let ts: Double
  /// The duration in microseconds; only for complete events.
  var dur: Double?
  let pid = 1
  let tid: Int
  /// Only for spans without a lane.
  var id: String?
  /// The scope in which an instant is drawn: `t`, on its lane.
  var s: String?
  var args: [String: Argument] = [:]

  init(
    _ phase: Phase, _ name: String, _ category: String, at time: Double, on lane: Int = 0,
    _ args: [String: Argument] = [:]
  ) {
    ph = phase
    self.name = name
    cat = category
    ts = time
    tid = lane
    self.args = args
    if phase == .instant { s = "t" }
  }
}

/// The lanes of a trace: in each group as many as were busy at once.
///
/// - Complexity: O(lanes of the group), which the widths of the queues bound.
struct TraceLanes {
  /// The groups of lanes, in the order in which they are drawn.
  enum Group: Int, CaseIterable {
    case caches, network, disk, decode, store

    init(_ stage: ImageStage) {
      self =
        switch stage {
        case .network: .network
        case .read: .disk
        case .encode, .store: .store
        default: .decode
        }
    }
  }

  /// The time until which each lane is taken; infinity while a stage runs on it. A stage is reported a moment after
  /// it begins, when another one may already have ended. So times are compared, and not whether a lane is free now.
  private var ends: [[Double]] = Group.allCases.map { _ in [] }

  private static let width = 1000

  /// Takes the lowest lane of a group that is free from a time on.
  mutating func take(_ group: Group, from start: Double) -> Int {
    let lanes = ends[group.rawValue]
    let lane = lanes.firstIndex { $0 <= start } ?? lanes.count
    if lane == lanes.count {
      ends[group.rawValue].append(.infinity)
    } else {
      ends[group.rawValue][lane] = .infinity
    }
    return (group.rawValue + 1) * Self.width + lane
  }

  mutating func give(_ lane: Int, until end: Double) {
    ends[lane / Self.width - 1][lane % Self.width] = end
  }

  /// The lane of a group for instants, which occupy no lane.
  static func first(of group: Group) -> Int { (group.rawValue + 1) * width }

  /// The names of all lanes that were used.
  var names: [(lane: Int, name: String)] {
    Group.allCases.flatMap { group in
      ends[group.rawValue].indices.map { ((group.rawValue + 1) * Self.width + $0, "\(group) \($0 + 1)") }
    }
  }
}
