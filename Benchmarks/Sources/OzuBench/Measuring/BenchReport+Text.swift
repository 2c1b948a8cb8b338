import Foundation

extension BenchReport {
  /// A table for people, with each subject's median over that of `ozu` in the same case, a line each.
  var lines: [String] {
    let headings = [
      "case", "subject", "metric", "median", "min", "max", "of ozu's", "PSNR", "SSIMULACRA2", "memory",
      "allocations",
    ]
    let table = [headings] + rows.map(cells)
    let widths = headings.indices.map { column in table.map { $0[column].count }.max() ?? 0 }
    return table.map { row in
      let padded = row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        // Words on the left, numbers on the right.
        return column < 3 ? row[column] + space : space + row[column]
      }
      return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
  }

  private func cells(_ row: Row) -> [String] {
    let own = rows.first { $0.name == row.name && $0.metric == row.metric && $0.subject == "ozu" }
    return [
      row.name, row.subject, row.metric, Self.fixed(row.median, row.digits),
      Self.fixed(row.samples.min() ?? .nan, row.digits), Self.fixed(row.samples.max() ?? .nan, row.digits),
      own.map { Self.fixed(row.median / $0.median, 2) } ?? "",
      row.quality.map { Self.fixed($0.psnr, 1) } ?? "",
      row.quality?.ssimulacra2.map { Self.fixed($0, 1) } ?? "",
      row.peakByteCount.map { Self.fixed(Double($0) / 1e6, 1) + " MB" } ?? "",
      row.allocationCount.map { Self.fixed($0, 2) } ?? "",
    ]
  }

  private static func fixed(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }
}
