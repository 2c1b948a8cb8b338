import Foundation
import Ozu

/// The counters of a pipeline in one line.
enum StatusText {
  static func text(of pipeline: ImagePipeline) -> String {
    let memory = pipeline.memoryCacheStatistics
    return "memory: \(memory.hits) hits, \(megabytes(memory.totalCost))"
  }

  static func megabytes(_ byteCount: Int) -> String {
    (Double(byteCount) / 1e6).formatted(.number.precision(.fractionLength(1))) + " MB"
  }
}
