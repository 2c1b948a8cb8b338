import Foundation

/// The form in which results are recorded: one object for a benchmark, whose rows are in the order in which they were
/// measured.
extension BenchReport: Encodable {
  /// The object, on one line, members in the order of their names.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  private enum Member: String, CodingKey {
    case benchmark, machine, rows
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(benchmark, forKey: .benchmark)
    try members.encode(Machine(), forKey: .machine)
    try members.encode(rows, forKey: .rows)
  }

  /// The machine of the figures.
  private struct Machine: Encodable {
    let cpu = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let memory_bytes = ProcessInfo.processInfo.physicalMemory
    let system = ProcessInfo.processInfo.operatingSystemVersionString
  }
}

extension BenchReport.Row: Encodable {
  private enum Member: String, CodingKey {
    case name = "case"
    case subject, metric, median, min, max, runs, quality
    case peakByteCount = "peak_bytes"
    case allocationCount = "allocations"
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(name, forKey: .name)
    try members.encode(subject, forKey: .subject)
    try members.encode(metric, forKey: .metric)
    // A figure that there is not is null.
    try members.encode(Self.rounded(median), forKey: .median)
    try members.encode(Self.rounded(samples.min()), forKey: .min)
    try members.encode(Self.rounded(samples.max()), forKey: .max)
    try members.encode(samples.count, forKey: .runs)
    try members.encodeIfPresent(quality, forKey: .quality)
    try members.encodeIfPresent(peakByteCount, forKey: .peakByteCount)
    try members.encodeIfPresent(Self.rounded(allocationCount), forKey: .allocationCount)
  }

  /// Three digits behind the point are what the clocks are good for.
  fileprivate static func rounded(_ number: Double?) -> Double? {
    number.flatMap { $0.isFinite ? ($0 * 1000).rounded() / 1000 : nil }
  }
}

extension BenchReport.Quality: Encodable {
  private enum Member: String, CodingKey {
    case psnr = "psnr_db"
    case ssimulacra2
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(BenchReport.Row.rounded(psnr), forKey: .psnr)
    try members.encodeIfPresent(BenchReport.Row.rounded(ssimulacra2), forKey: .ssimulacra2)
  }
}
