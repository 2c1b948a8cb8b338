import Foundation
import Ozu
import OzuHTTP

/// `ozu cache`: shows, checks, trims and clears the disk cache.
enum CacheCommand: Command {
  static let specification = CommandSpecification(
    name: "cache",
    summary: "Count, list, verify, trim or clear the disk cache.",
    synopsis:
      "stats|list|verify|trim|clear [--to BYTES] [--older-than AGE] [--cache DIR] [--foreign] [--json]",
    examples: [
      Example("What is in it", "ozu cache stats"),
      Example("The entries that were used last", "ozu cache list"),
      Example("Less than 100 MB", "ozu cache trim --to 100MB"),
      Example("Everything out", "ozu cache clear"),
    ],
    discussion: """
      stats   how much it holds
      list    its entries, the last used first
      verify  read and check every entry
      trim    make it smaller: --older-than AGE removes entries that were stored longer ago, --to BYTES the least \
      recently used ones until it has that size; without both it is trimmed to half its size
      clear   remove everything

      An AGE is a number with a unit: 90s, 15m, 12h, 30d or 4w.

      stats, list and verify change nothing. trim and clear fail while another program writes to the cache. What commands
      with --untrusted keep is in a cache of its own: --cache ~/.cache/ozu/untrusted/images.
      """,
    options: [
      OptionSpecification(name: "to", value: "BYTES", help: "With trim: the size to keep, such as 500MB."),
      OptionSpecification(
        name: "older-than", value: "AGE",
        help: "With trim: remove entries that were stored longer ago, such as 30d."),
      .cache,
      OptionSpecification(
        name: "foreign",
        help: "With trim and clear: allow a directory of another user, or one that everybody may write to."),
      .json,
    ],
    positional: 1...1,
    operands: .words(Action.allCases.map { "\($0)" }))

  private enum Action: CaseIterable {
    case stats, list, verify, trim, clear
  }

  static func run(_ arguments: ParsedArguments, console: Console) async throws(UsageError) -> ExitStatus {
    let actions = Action.allCases.map { ("\($0)", $0) }
    let word = arguments.positional[0]
    guard let action = actions.first(where: { $0.0 == word })?.1 else {
      throw UsageError(
        "cache cannot \"\(word)\"",
        hint: Suggestion.closest(to: word, among: actions.map(\.0)).map {
          "Did you mean \"ozu cache \($0)\"?"
        }
          ?? "It can: stats, list, verify, trim, clear.")
    }
    let target = try arguments.byteCount("to", in: 0...Int.max)
    if target != nil && action != .trim { throw UsageError("--to can only be used with trim") }
    let age = try AgeArgument.seconds(arguments, "older-than")
    if age != nil && action != .trim { throw UsageError("--older-than can only be used with trim") }
    let printer = CachePrinter(console: console, isJSON: arguments.has("json"))
    // The system finds no file at a path with a slash at its end.
    var path = PipelineArguments.folder(arguments).path(percentEncoded: false)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    let folder = path
    guard FileManager.default.fileExists(atPath: folder) else {
      printer.printAbsence(of: folder)
      return .done
    }
    let allowsForeign = arguments.has("foreign")
    do {
      return try await BlockingWork.run { () throws(DiskCacheError) in
        // Reading changes nothing, so any directory may be read.
        let seen = try DiskCache(
          directory: folder,
          configuration: DiskCacheConfiguration(access: .reading) {
            $0.allowsForeignDirectory = true
            $0.onError = { console.printError("ozu cache: \($0)") }
          })
        defer { seen.close() }
        guard action == .trim || action == .clear else { return look(action, at: seen, printer) }
        guard isCache(folder) else {
          printer.printAbsence(of: folder)
          return .done
        }
        // The directory does not say how large its cache may be. With this capacity opening trims nothing, entries that
        // other processes hand over have room, and new segments are hardly larger than those of the cache's own program.
        let capacity = max(seen.totalByteCount + seen.totalByteCount / 8, 1 << 20)
        let cache = try DiskCache(
          directory: folder,
          configuration: DiskCacheConfiguration(capacity: capacity) {
            $0.allowsForeignDirectory = allowsForeign
          })
        defer { cache.close() }
        let before = cache.totalByteCount
        switch action {
        case .trim: try trim(cache, to: target, age: age)
        default:
          try cache.removeAll()
          HTTPSpoolingConfiguration.removePartialBodies(in: folder)
        }
        printer.printChange(from: before, to: cache.totalByteCount)
        return .done
      }
    } catch {
      console.printError("ozu cache: \(error.oneLine)")
      if let operation = (error as? DiskCacheError)?.operation,
        [.useForeignDirectory, .useOpenDirectory].contains(operation)
      {
        console.printError("ozu cache: --foreign permits it")
      }
      return .failed
    }
  }

  /// Whether the directory has files of a cache. Nothing is written to a directory without them.
  private static func isCache(_ folder: String) -> Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.contains { $0 == "lock" || $0.hasSuffix(".segment") }
  }

  private static func look(_ action: Action, at cache: DiskCache, _ printer: CachePrinter) -> ExitStatus {
    var isSound = true
    switch action {
    case .list: printer.printEntries(of: cache)
    case .verify:
      let report = cache.verify()
      printer.print(report)
      isSound = report.isSound
    default: printer.printStatistics(of: cache)
    }
    // The entries of a file that cannot be read are missing in what was printed.
    return isSound && cache.statistics.errors == 0 ? .done : .failed
  }

  private static func trim(_ cache: DiskCache, to target: Int?, age: TimeInterval?) throws(DiskCacheError) {
    if let age { try cache.trim(olderThan: Date(timeIntervalSinceNow: -age)) }
    if target != nil || age == nil { try cache.trim(toByteCount: target ?? cache.totalByteCount / 2) }
  }
}

/// An age as people type it: `90s`, `15m`, `12h`, `30d`, `4w`.
private enum AgeArgument {
  private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

  /// The seconds of an option's value; `nil` if it was not given.
  static func seconds(_ arguments: ParsedArguments, _ name: String) throws(UsageError) -> Double? {
    guard let text = arguments.value(name) else { return nil }
    guard let last = text.last, let unit = units[last], let number = Int(text.dropLast()), number >= 0,
      !text.hasPrefix("+")
    else {
      throw UsageError("--\(name) \(text): a whole number with a unit is needed: 90s, 15m, 12h, 30d or 4w")
    }
    return Double(number) * unit
  }
}

/// Prints the reports of `ozu cache`, as text or as JSON.
struct CachePrinter: Sendable {
  private static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }

  let console: Console
  let isJSON: Bool

  func printAbsence(of folder: String) {
    guard isJSON else { return console.print("\(folder): there is no cache yet") }
    report(folder, 0, 0, [])
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
      return report(cache.directory, cache.count, cache.totalByteCount, parts)
    }
    console.print(
      "\(cache.directory): \(Self.entries(cache.count)), \(Format.bytes(cache.totalByteCount))")
    for partition in partitions {
      console.print(
        "  \(partition.shownName): \(Self.entries(cache.count(in: partition))),"
          + " \(Format.bytes(cache.byteCount(of: partition)))")
    }
  }

  private func report(_ folder: String, _ count: Int, _ byteCount: Int, _ partitions: [JSON]) {
    console.report(
      "cache",
      [
        ("directory", .string(folder)), ("entries", .integer(count)), ("bytes", .integer(byteCount)),
        ("partitions", .array(partitions)),
      ])
  }

  func printEntries(of cache: DiskCache) {
    for entry in cache.entries() {
      // Earlier versions wrote whole addresses.
      let name = entry.label.map(Redaction.text) ?? "\(entry.key)"
      if isJSON {
        console.report(
          "cache-entry",
          [
            ("key", .string("\(entry.key)")), ("partition", .string(entry.partition.shownName)),
            ("name", .string(name)), ("bytes", .integer(entry.bodyByteCount)),
            ("stored", .string(Self.text(entry.storedDate))), ("used", .string(Self.text(entry.accessDate))),
          ])
      } else {
        let size = Format.bytes(entry.bodyByteCount).padding(to: 9, alignedRight: true)
        console.print(
          "\(Self.text(entry.accessDate))  \(size)  \(entry.partition.shownName.padding(to: 10))  \(name)")
      }
    }
  }

  func print(_ report: DiskCacheReport) {
    if isJSON {
      return console.report(
        "cache-check",
        [
          ("intact", .integer(report.intactEntries)), ("bytes", .integer(report.intactByteCount)),
          ("corrupt", .array(report.corruptEntries.map { .string("\($0.key)") })),
          ("unreadableBytes", .integer(report.unreadableByteCount)),
          ("deadBytes", .integer(report.deadByteCount)),
        ])
    }
    let intact = Self.entries(report.intactEntries) + (report.intactEntries == 1 ? " is" : " are")
    console.print("\(intact) intact, \(Format.bytes(report.intactByteCount))")
    for damage in report.corruptEntries {
      console.printError(
        "ozu cache: entry \(damage.key) in \(damage.partition.shownName) is damaged")
    }
    if report.unreadableByteCount > 0 {
      console.printError("ozu cache: \(Format.bytes(report.unreadableByteCount)) cannot be read")
    }
  }

  func printChange(from before: Int, to after: Int) {
    if isJSON {
      return console.report("cache-change", [("before", .integer(before)), ("after", .integer(after))])
    }
    console.print("\(Format.bytes(before)) before, \(Format.bytes(after)) now")
  }

  private static func text(_ date: Date) -> String {
    date.formatted(.iso8601)
  }
}

extension DiskCache.Partition {
  /// The name in reports. On disk, the lists of variants have a name of an earlier release.
  fileprivate var shownName: String { name == ImageStoreKind.variants.name ? "variants" : name }
}
