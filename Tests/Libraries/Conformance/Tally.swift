/// How many files of a set passed.
struct Tally {
  var passed = 0
  var excepted = 0
  var failed = 0
  var unsupported = 0

  mutating func add(_ outcome: Finding.Outcome) {
    switch outcome {
    case .pass: passed += 1
    case .exception: excepted += 1
    case .fail: failed += 1
    case .unsupported: unsupported += 1
    }
  }

  /// `12 of 13 right, 1 exception`.
  var description: String {
    var parts = ["\(passed) of \(passed + excepted + failed) right"]
    if excepted > 0 { parts.append("\(excepted) listed exceptions") }
    if failed > 0 { parts.append("\(failed) WRONG") }
    if unsupported > 0 { parts.append("\(unsupported) of formats without a decoder here") }
    return parts.joined(separator: ", ")
  }
}
