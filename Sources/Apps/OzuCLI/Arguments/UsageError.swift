/// An error in the command line, with the message for the user.
struct UsageError: Error {
  let message: String
  /// A suggestion on a line of its own, such as a similar name or an example.
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  /// The hint for an empty name.
  static let unsetVariable = "A shell makes it of a variable that is not set: \"$file\"."
}

/// Finds the word that a misspelt one may stand for.
enum Suggestion {
  /// The candidate with the fewest edits, if they are at most a third of its length.
  static func closest(to word: String, among candidates: [String]) -> String? {
    let length = word.count
    func limit(_ candidate: String) -> Int { max(1, candidate.count / 3) }
    // There are at least as many edits as letters more or less. A file that is not one of settings may be one long line.
    let ranked = candidates.filter { abs($0.count - length) <= limit($0) }
      .map { (candidate: $0, distance: distance(word, $0)) }
    guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= limit(best.candidate) ? best.candidate : nil
  }

  /// The number of letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
  static func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a)
    let b = Array(b)
    var rows = [Array(0...b.count)]
    for i in 1..<(a.count + 1) {
      var row = [i]
      for j in 1..<(b.count + 1) {
        let replacement = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, replacement)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          best = min(best, rows[i - 2][j - 2] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
