import Ozu

struct DemoReport {
  let result: Demonstration.Result
  let sheet: String

  func print(to console: Console) {
    console.print(
      "\(result.photos.count) photographs, each at \(Demonstration.resize.size), cropped to fill:\n")
    for line in table.lines { console.print("  " + line) }
    console.print("")
    for line in summary.lines { console.print("  " + line) }
    console.print("\n  Requests the server saw: \(result.requestCount).")
    if console.outputIsTerminal {
      let cells = max(8, min(32, (console.width - 4) / 3))
      let thumbnails = result.passes[0].responses.map(\.picture.bitmap)
      for start in stride(from: 0, to: thumbnails.count, by: 3) {
        let row = Array(thumbnails[start..<min(start + 3, thumbnails.count)])
        console.writeOutput("\n" + HalfBlocks.row(row, cells: cells) + "\n")
      }
    }
    console.print("\n  Contact sheet: \(sheet)")
  }

  private var table: Table {
    var table = Table(columns: [
      .init(title: "photograph"), .init(title: "pixels", isNumber: true),
      .init(title: "bytes in", isNumber: true),
      .init(title: "network", isNumber: true), .init(title: "decode+resize", isNumber: true),
      .init(title: "disk", isNumber: true), .init(title: "memory", isNumber: true),
      .init(title: "bytes kept", isNumber: true),
    ])
    for (index, photo) in result.photos.enumerated() {
      let responses = result.passes.map { $0.responses[index] }
      let timings = responses[0].timings
      let render = (timings[.decode] ?? .zero) + (timings[.resize] ?? .zero)
      table.rows.append([
        photo.name, responses[0].picture.header.map { "\($0.size)" } ?? "?", Format.bytes(photo.data.count),
        Format.duration(timings[.network] ?? .zero), Format.duration(render),
        Format.duration(responses[1].timings[.total] ?? .zero),
        Format.duration(responses[2].timings[.total] ?? .zero),
        Format.bytes(result.renditionByteCounts[index]),
      ])
    }
    return table
  }

  private var summary: Table {
    var table = Table(columns: [
      .init(title: "all of them"), .init(title: "came from"), .init(title: "took", isNumber: true),
      .init(title: "peak memory", isNumber: true),
    ])
    let titles = ["cold", "fresh pipeline", "again"]
    for (title, pass) in zip(titles, result.passes) {
      let sources = Set(pass.responses.map(\.source.rawValue)).sorted().joined(separator: ", ")
      table.rows.append([title, sources, Format.duration(pass.duration), memory(pass.peakByteCount)])
    }
    table.rows.append([
      "decoded whole, then resized", "bytes in memory", Format.duration(result.fullDecode.duration),
      memory(result.fullDecode.peakByteCount),
    ])
    return table
  }

  private func memory(_ byteCount: Int?) -> String { byteCount.map { "+" + Format.bytes($0) } ?? "unknown" }

  var json: JSON {
    let names = ["network", "disk", "memory"]
    let passes = zip(names, result.passes).map { name, pass in
      JSON.object([
        ("pass", .string(name)), ("ms", .number(pass.duration.milliseconds)),
        ("peakBytes", pass.peakByteCount.map(JSON.integer) ?? .null),
        (
          "pictures",
          .array(
            zip(result.photos, pass.responses).map { photo, response in
              .object([
                ("name", .string(photo.name)), ("from", .string(response.source.rawValue)),
                ("width", .integer(response.picture.size.width)),
                ("height", .integer(response.picture.size.height)),
                ("bytes", .integer(response.encodedByteCount)),
                ("ms", .number((response.timings[.total] ?? .zero).milliseconds)),
              ])
            })
        ),
      ])
    }
    return .object([
      ("passes", .array(passes)), ("requests", .integer(result.requestCount)),
      (
        "fullDecode",
        .object([
          ("ms", .number(result.fullDecode.duration.milliseconds)),
          ("peakBytes", result.fullDecode.peakByteCount.map(JSON.integer) ?? .null),
        ])
      ),
      ("contactSheet", .string(sheet)), ("mistakes", .array(result.mistakes.map(JSON.string))),
    ])
  }
}

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
      return cells.joined(separator: "  ")
    }
  }
}
