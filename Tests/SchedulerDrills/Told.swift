import Ozu

/// What an operation asks for, in the words that both implementations share: jobs by their payloads.
package struct Told: Equatable {
  struct Start: Equatable {
    let payload: Int
    let station: StationID
    var input: Int?
    let continues: Bool
    /// How urgent it is at that instant.
    let level: ImagePriority
  }

  struct Wake: Equatable {
    let payload: Int
    var input: Int?
    let overdue: Int?
  }

  struct Overdue: Equatable {
    let waiter: Int
    let tag: Int
  }

  var starts: [Start] = []
  var cancellations: [Int] = []
  var wakes: [Wake] = []
  var answers: [Int] = []
  var overdue: [Overdue] = []
  var released: [Int] = []
  /// Of running jobs whose urgency is another now than before, or than when they were started.
  var levels: [Int: ImagePriority] = [:]

  init() {}

  init(_ effects: JobEffects<Int, Int>) {
    starts = effects.starts.map {
      Start(
        payload: $0.payload, station: $0.station, input: $0.input, continues: $0.continues, level: $0.level)
    }
    cancellations = Array(effects.cancellations)
    wakes = effects.wakes.map { Wake(payload: $0.payload, input: $0.input, overdue: $0.overdue) }
    answers = Array(effects.answers)
    overdue = effects.overdue.map { Overdue(waiter: $0.waiter, tag: $0.tag) }
    released = Array(effects.released)
    for (payload, level) in effects.levels { levels[payload] = level }
  }

  /// The same in an order that does not depend on which station was looked at first. The order inside a station is
  /// kept, and that of those who are answered.
  var sorted: Told {
    var told = self
    told.starts = StationID.allCases.flatMap { station in starts.filter { $0.station == station } }
    told.cancellations.sort()
    // Nobody asks how urgent something is that is to stop.
    for payload in cancellations { told.levels[payload] = nil }
    told.released.sort()
    return told
  }
}
