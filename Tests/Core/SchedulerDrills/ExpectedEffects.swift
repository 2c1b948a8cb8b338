import Ozu

/// The effects of an operation in a form for both implementations: jobs are identified by their payloads.
package struct ExpectedEffects: Equatable {
  struct Start: Equatable {
    let payload: Int
    let station: StationID
    var input: Int?
    let continues: Bool
    /// Its priority at that instant.
    let level: ImagePriority
  }

  struct Wake: Equatable {
    let payload: Int
    /// The job that it waited for; `nil` if its deadline has passed.
    var input: Int?
  }

  var starts: [Start] = []
  var cancellations: [Int] = []
  var wakes: [Wake] = []
  var answers: [Int] = []
  var overdue: [Int] = []
  var released: [Int] = []

  init() {}

  init(_ effects: JobEffects<Int, Int>) {
    starts = effects.starts.map {
      Start(
        payload: $0.payload, station: $0.station, input: $0.input, continues: $0.continues, level: $0.level)
    }
    cancellations = Array(effects.cancellations)
    wakes = effects.wakes.map { wake in
      switch wake.reason {
      case .finished(let input): Wake(payload: wake.payload, input: input)
      case .overdue: Wake(payload: wake.payload)
      }
    }
    answers = Array(effects.answers)
    overdue = effects.overdue.map { $0.waiter }
    released = Array(effects.released)
  }

  /// The same effects in an order that does not depend on the order of the stations. The order inside a station is
  /// kept, and that of the answers.
  var sorted: ExpectedEffects {
    var told = self
    told.starts = StationID.allCases.flatMap { station in starts.filter { $0.station == station } }
    told.cancellations.sort()
    told.released.sort()
    return told
  }
}
