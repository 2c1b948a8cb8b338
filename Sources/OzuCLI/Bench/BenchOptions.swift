import Foundation
import Ozu

/// What a benchmark is run with.
struct BenchOptions: Sendable {
  /// The rounds that count.
  var rounds: Int
  /// How often a short operation is done in a round.
  var operations: Int
  /// A part of the names of the cases that are wanted; all if there is none.
  var cases: String?
  /// A folder of recorded traces.
  var traces: String?
  /// A folder of pictures to take instead of the benchmark's own.
  var corpus: URL?
  /// The sizes that pictures of the corpus become.
  var sizes: [PixelSize]
  /// Whether files are read by isolated decoders too.
  var isolated = false
  /// The program that runs other libraries, when they are wanted.
  var peers: URL?
}
