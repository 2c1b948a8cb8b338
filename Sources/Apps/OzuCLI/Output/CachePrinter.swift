import Foundation
import Ozu
import OzuHTTP

/// Prints the reports of `ozu cache`, as text or as JSON.
struct CachePrinter: Sendable {
  let console: Console
  let isJSON: Bool

  func printAbsence(of folder: String) {
    let json = JSON.report(
      "cache",
      [
        ("directory", .string(folder)), ("entries", .integer(0)), ("bytes", .integer(0)),
        ("partitions", .array([])),
      ])
    console.print(isJSON ? json.text : "\(folder): there is no cache yet")
  }

  func printStatistics(of cache: DiskCache) {
    let partitions = cache.partitions
    if isJSON {
      let parts = partitions.map { partition in
        JSON.object([
          ("partition", .string(partition.shownName)), ("entries", .integer(cache.count(in: partition))),
          ("bytes", .integer(cache.byteCount(of: partition))),
        ])
      }
      console.print(
        JSON.report(
          "cache",
          [
            ("directory", .string(cache.directory)), ("entries", .integer(cache.count)),
            ("bytes", .integer(cache.totalByteCount)), ("partitions", .array(parts)),
          ]
        ).text)
      return
    }
    console.print(
      "\(cache.directory): \(cache.count) entries, \(Format.bytes(cache.totalByteCount))")
    for partition in partitions {
      console.print(
        "  \(partition.shownName): \(cache.count(in: partition)) entries,"
          + " \(Format.bytes(cache.byteCount(of: partition)))")
    }
  }

  func printEntries(of cache: DiskCache) {
    for entry in cache.entries() {
      // Earlier versions wrote whole addresses.
      let name = entry.label.map(Redaction.text) ?? "\(entry.key)"
      if isJSON {
        console.print(
          JSON.report(
            "cache-entry",
            [
              ("key", .string("\(entry.key)")), ("partition", .string(entry.partition.shownName)),
              ("name", .string(name)), ("bytes", .integer(entry.bodyByteCount)),
              ("stored", .string(Self.text(entry.storedDate))),
              ("used", .string(Self.text(entry.accessDate))),
            ]
          ).text)
      } else {
        let size = Format.bytes(entry.bodyByteCount).padding(to: 9, alignedRight: true)
        console.print(
          "\(Self.text(entry.accessDate))  \(size)  \(entry.partition.shownName.padding(to: 10))  \(name)")
      }
    }
  }

  func print(_ report: DiskCacheReport) {
    if isJSON {
      console.print(
        JSON.report(
          "cache-check",
          [
            ("intact", .integer(report.intactEntries)), ("bytes", .integer(report.intactByteCount)),
            ("corrupt", .array(report.corruptEntries.map { .string("\($0.key)") })),
            ("unreadableBytes", .integer(report.unreadableByteCount)),
            ("deadBytes", .integer(report.deadByteCount)),
          ]
        ).text)
      return
    }
    console.print("\(report.intactEntries) entries are intact, \(Format.bytes(report.intactByteCount))")
    for damage in report.corruptEntries {
      console.printError(
        "ozu cache: entry \(damage.key) in \(damage.partition.shownName) is damaged")
    }
    if report.unreadableByteCount > 0 {
      console.printError("ozu cache: \(Format.bytes(report.unreadableByteCount)) cannot be read")
    }
  }

  func printChange(from before: Int, to after: Int) {
    let json = JSON.report("cache-change", [("before", .integer(before)), ("after", .integer(after))])
    console.print(isJSON ? json.text : "\(Format.bytes(before)) before, \(Format.bytes(after)) now")
  }

  private static func text(_ date: Date) -> String {
    date.formatted(.iso8601)
  }
}

extension DiskCache.Partition {
  /// The name in reports. On disk, the lists of variants have a name of an earlier release.
  fileprivate var shownName: String { name == ImageStoreKind.variants.name ? "variants" : name }
}
