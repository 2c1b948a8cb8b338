import Foundation

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

  var json: JSON {
    .object([
      ("benchmark", .string(benchmark)), ("machine", machine),
      ("rows", .array(rows.map(json))),
    ])
  }

  private func json(_ row: Row) -> JSON {
    var members: [(String, JSON)] = [
      ("case", .string(row.name)), ("subject", .string(row.subject)), ("metric", .string(row.metric)),
      ("median", .number(row.median)), ("min", .number(row.samples.min() ?? .nan)),
      ("max", .number(row.samples.max() ?? .nan)), ("runs", .integer(row.samples.count)),
    ]
    if let quality = row.quality {
      members.append(
        (
          "quality",
          .object(
            [("psnr_db", .number(quality.psnr))]
              + (quality.ssimulacra2.map { [("ssimulacra2", .number($0))] } ?? []))
        ))
    }
    if let peak = row.peakByteCount { members.append(("peak_bytes", .integer(peak))) }
    if let count = row.allocationCount { members.append(("allocations", .number(count))) }
    return .object(members)
  }

  private var machine: JSON {
    let info = ProcessInfo.processInfo
    let model = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    return .object([
      ("cpu", model.map(JSON.string) ?? .null), ("cores", .integer(info.activeProcessorCount)),
      ("memory_bytes", .integer(Int(clamping: info.physicalMemory))),
      ("system", .string(info.operatingSystemVersionString)),
    ])
  }

  /// A table for people, with each subject's median over that of `ozu` in the same case.
  var lines: [String] {
    var table = Table(columns: [
      .init(title: "case"), .init(title: "subject"), .init(title: "metric"),
      .init(title: "median", isNumber: true), .init(title: "min", isNumber: true),
      .init(title: "max", isNumber: true), .init(title: "of ozu's", isNumber: true),
      .init(title: "PSNR", isNumber: true), .init(title: "SSIMULACRA2", isNumber: true),
      .init(title: "memory", isNumber: true), .init(title: "allocations", isNumber: true),
    ])
    for row in rows {
      let own = rows.first { $0.name == row.name && $0.metric == row.metric && $0.subject == "ozu" }
      table.rows.append([
        row.name, row.subject, row.metric, Format.fixed(row.median, row.digits),
        Format.fixed(row.samples.min() ?? .nan, row.digits),
        Format.fixed(row.samples.max() ?? .nan, row.digits),
        own.map { Format.fixed(row.median / $0.median, 2) } ?? "",
        row.quality.map { Format.fixed($0.psnr, 1) } ?? "",
        row.quality?.ssimulacra2.map { Format.fixed($0, 1) } ?? "", row.peakByteCount.map(Format.bytes) ?? "",
        row.allocationCount.map { Format.fixed($0, 2) } ?? "",
      ])
    }
    return table.lines
  }
}
