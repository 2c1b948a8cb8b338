/// The limits of `Picture.notes`. They hold for every picture, so that all notes fit into its record on disk.
package enum PictureNotes {
  package static let mostNotes = 32
  /// The most bytes of one note, in UTF-8.
  package static let mostBytes = 512
  private static let rest = "further notes are left out"

  /// The notes within the limits. Applying it twice changes nothing.
  package static func bounded(_ notes: [String]) -> [String] {
    guard notes.count > mostNotes || notes.contains(where: { $0.utf8.count > mostBytes }) else {
      return notes
    }
    let first = notes.count > mostNotes ? notes.prefix(mostNotes - 1) + [rest] : notes[...]
    return first.map(cut)
  }

  private static func cut(_ note: String) -> String {
    guard note.utf8.count > mostBytes else { return note }
    let ellipsis = "\u{2026}"
    var room = mostBytes - ellipsis.utf8.count
    var result = String.UnicodeScalarView()
    for scalar in note.unicodeScalars {
      room -= UTF8.width(scalar)
      guard room >= 0 else { break }
      result.append(scalar)
    }
    return String(result) + ellipsis
  }
}
