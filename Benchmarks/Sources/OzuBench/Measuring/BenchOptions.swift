import Foundation
import Ozu

/// The options of a benchmark.
struct BenchOptions: Sendable {
  /// Whether other libraries take part.
  enum Peers {
    case none, ifInstalled, required
  }

  /// The rounds that count.
  var rounds = 7
  /// How often a short operation is done in a round.
  var operations = 200_000
  /// A part of the names of the cases that are wanted; all if there is none.
  var cases: String?
  /// A folder of recorded traces.
  var traces: String?
  /// A folder of pictures to take instead of the benchmark's own.
  var corpus: URL?
  /// The sizes that pictures of the corpus become.
  var sizes = [PixelSize(width: 320, height: 240)]
  /// Whether files are read by isolated decoders too.
  var isolated = false
  /// Whether other libraries take part.
  var peers = Peers.ifInstalled
  /// Whether only the first card of this process is drawn, for a process that measures others.
  var isFirstCard = false
  /// Whether only one small case of each kind is run, to see that it works.
  var isSmoke = false

  /// Whether a case is wanted.
  func wants(_ name: String) -> Bool { cases.map(name.contains) ?? true }
}
