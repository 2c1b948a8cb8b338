/// The result of a benchmark, in the one form all of them print.
struct BenchReport: Sendable {
  /// One subject on one case.
  struct Row: Sendable {
    let name: String
    /// `ozu`, a peer with its version, or `yardstick:NAME` for what the machine itself can do in the same run.
    let subject: String
    let metric: String
    var samples: [Double]
    var quality: Quality?
    /// The bytes by which resident memory rose at its highest.
    var peakByteCount: Int?
    /// How often memory was allocated for one operation, on all threads.
    var allocationCount: Double?
    /// Digits behind the point for people.
    var digits = 2

    var median: Double {
      let sorted = samples.sorted()
      guard let middle = sorted.indices.last.map({ $0 / 2 }) else { return .nan }
      return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle] + sorted[middle + 1]) / 2
    }
  }

  /// How close a picture is to its reference.
  struct Quality: Sendable {
    /// In decibels over all colours.
    var psnr: Double
    /// SSIMULACRA2: 90 cannot be told from the reference at a glance, 100 is equal.
    var ssimulacra2: Double?
  }

  let benchmark: String
  var rows: [Row] = []
}
