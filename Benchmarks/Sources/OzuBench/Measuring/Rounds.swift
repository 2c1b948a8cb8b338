import Foundation
import Ozu

/// Runs subjects in turn, so that what disturbs the machine disturbs all of them alike.
enum Rounds {
  struct Subject {
    let name: String
    let work: () throws -> Void
  }

  /// The processor time of each subject in milliseconds, a sample per round, after one round that does not
  /// count. Everything runs on the calling thread, whose time alone is taken.
  static func cpuMilliseconds(_ subjects: [Subject], rounds: Int) throws -> [[Double]] {
    var samples = subjects.map { _ in [Double]() }
    for round in 0...rounds {
      for (index, subject) in subjects.enumerated() {
        let time = try cpuMilliseconds(subject.work)
        if round > 0 { samples[index].append(time) }
      }
    }
    return samples
  }

  /// The processor time of the calling thread for some work, in milliseconds.
  static func cpuMilliseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = DecodingContext.systemThreadTime()
    try work()
    return (DecodingContext.systemThreadTime() - start).milliseconds
  }
}
