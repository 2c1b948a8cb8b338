/// One event of a trace, in the form of the Trace Event Format that Chrome's tracing page and Perfetto read.
struct TraceEvent: Encodable {
  /// The kind of event, as a letter of the format.
  enum Phase: String, Encodable {
    /// A span on a track, with its duration.
    case complete = "X"
    /// The beginning of a span that belongs to no track. Its end has the same category and id.
    case asyncBegin = "b"
    case asyncEnd = "e"
    /// An instant on a track.
    case instant = "i"
    /// New values of counters.
    case counter = "C"
    /// A name for a process or a track.
    case metadata = "M"
  }

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
  /// Only for spans without a track.
  var id: String?
  /// The scope in which an instant is drawn: `t`, on its track.
  var s: String?
  var args: [String: Argument] = [:]

  init(
    _ phase: Phase, _ name: String, _ category: String, at time: Double, on track: Int = 0,
    _ args: [String: Argument] = [:]
  ) {
    ph = phase
    self.name = name
    cat = category
    ts = time
    tid = track
    self.args = args
    if phase == .instant { s = "t" }
  }
}

/// The tracks of a trace: in each group as many as were busy at once.
///
/// - Complexity: O(tracks of the group), which the widths of the queues bound.
struct TraceTracks {
  /// The groups of tracks, in the order in which they are drawn.
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

  /// The time until which each track is taken; infinity while a stage runs on it. A stage is reported a moment after
  /// it begins, when another one may already have ended. So times are compared, and not whether a track is free now.
  private var ends: [[Double]] = Group.allCases.map { _ in [] }

  /// More than run at once: fetchers that wait for other pictures have no limit.
  private static let width = 1 << 20

  /// Takes the lowest track of a group that is free from a time on.
  mutating func take(_ group: Group, from start: Double) -> Int {
    let tracks = ends[group.rawValue]
    let track = tracks.firstIndex { $0 <= start } ?? tracks.count
    if track == tracks.count {
      ends[group.rawValue].append(.infinity)
    } else {
      ends[group.rawValue][track] = .infinity
    }
    return (group.rawValue + 1) * Self.width + track
  }

  mutating func give(_ track: Int, until end: Double) {
    ends[track / Self.width - 1][track % Self.width] = end
  }

  /// The track of a group for instants, which occupy no track.
  static func first(of group: Group) -> Int { (group.rawValue + 1) * width }

  var names: [(track: Int, name: String)] {
    Group.allCases.flatMap { group in
      ends[group.rawValue].indices.map { ((group.rawValue + 1) * Self.width + $0, "\(group) \($0 + 1)") }
    }
  }
}
