/// Text in columns.
struct Table {
  /// A heading; numbers are aligned to the right.
  struct Column {
    let title: String
    var isNumber = false
  }

  let columns: [Column]
  var rows: [[String]] = []

  /// The lines of the table, headings first.
  var lines: [String] {
    let widths = columns.indices.map { index in
      ([columns[index].title] + rows.map { $0[index] }).map(\.count).max() ?? 0
    }
    return ([columns.map(\.title)] + rows).map { row in
      let cells = columns.indices.map { index in
        row[index].padding(to: widths[index], alignedRight: columns[index].isNumber)
      }
      return cells.joined(separator: "  ").trimmingTrailingSpaces
    }
  }
}

extension String {
  var trimmingTrailingSpaces: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
