import Foundation
import Ozu

/// The counters of a pipeline in one line.
enum StatusText {
  static func text(of pipeline: ImagePipeline) -> String {
    let counts = pipeline.statistics
    let disk = counts.renditions.hits + counts.originals.hits
    return [
      "memory \(counts.memory.hits) hits", "disk \(disk)", "network \(counts.networkLoads)",
      "files \(counts.fileLoads)",
      "derived \(counts.derived)", "failed \(counts.failureCount)",
      "\(megabytes(pipeline.memoryCacheStatistics.totalCost)) in memory",
      "\(megabytes(pipeline.diskCache?.totalByteCount ?? 0)) on disk",
      "\(pipeline.diagnostics().jobs.count) under way",
    ].joined(separator: "  ·  ")
  }

  static func megabytes(_ byteCount: Int) -> String {
    (Double(byteCount) / 1e6).formatted(.number.precision(.fractionLength(1))) + " MB"
  }
}
