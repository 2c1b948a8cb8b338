import Foundation
import OzuCaching
import OzuTesting

/// Looks at caches opened on disks that lost power.
struct PowerLossCheck {
  let workload: PowerLossWorkload
  let run: PowerLossWorkload.Result
  /// The promise that the disks must keep. By default it follows from the durability of the workload.
  var promise: PowerLossHistory.Promise?
  /// Whether each cache is used afterwards, too, and opened again.
  var goesOn = false

  /// The findings, and the number of states that were looked at.
  struct Report {
    var states = 0
    var served = 0
    /// Records whose checksum did not fit.
    var damaged = 0
    /// Faults of entries.
    var faults: [Finding] = []
    /// Faults of caches.
    var failures: [String] = []
    /// How often a cache removed entries at opening, because files came back that it had removed.
    var evicting = 0

    var isSound: Bool { faults.isEmpty && failures.isEmpty }

    func count(of fault: PowerLossFault) -> Int { faults.count { $0.fault == fault } }

    mutating func add(_ other: Report) {
      states += other.states
      served += other.served
      damaged += other.damaged
      faults += other.faults
      failures += other.failures
      evicting += other.evicting
    }
  }

  /// A fault of an entry in one state.
  struct Finding: CustomStringConvertible {
    let fault: PowerLossFault
    let key: Int
    let kind: PowerLossState.Kind
    let place: String

    var description: String { "key \(key) \(fault.rawValue): \(place)" }
  }

  /// Looks at the states of some prefixes: all kept, all lost, and samples.
  func report(prefixes: some Sequence<Int>, samplesPerPrefix: Int, seed: UInt64) -> Report {
    report(prefixes: prefixes, kinds: Self.kinds(samplesPerPrefix), seed: seed)
  }

  /// Looks at some states of some prefixes.
  func report(prefixes: some Sequence<Int>, kinds: Set<PowerLossState.Kind>, seed: UInt64) -> Report {
    var report = Report()
    for state in states(of: run.log, prefixes, kinds, seed: seed) {
      check(state, state.fileSystem(), &report)
    }
    return report
  }

  /// Looks at states that a second loss of power leaves while a cache opens and closes on each of these.
  func reportOfRecovery(
    prefixes: some Sequence<Int>, kinds: Set<PowerLossState.Kind>, seed: UInt64
  ) -> Report {
    var report = Report()
    var first = self
    first.goesOn = false
    for state in states(of: run.log, prefixes, kinds, seed: seed) {
      let files = state.fileSystem(recordsChanges: true)
      first.check(state, files, &report)
      guard let log = files.log else { continue }
      for second in states(of: log, 0...log.operations.count, kinds, seed: seed) {
        first.check(state, second.fileSystem(), &report, second: second)
      }
    }
    return report
  }

  static func kinds(_ samplesPerPrefix: Int) -> Set<PowerLossState.Kind> {
    Set((0..<samplesPerPrefix).map { .sample($0) }).union([.everything, .synchronizedOnly, .namesOnly])
  }

  private func states(
    of log: FileSystemLog, _ prefixes: some Sequence<Int>, _ kinds: Set<PowerLossState.Kind>, seed: UInt64
  ) -> some Sequence<PowerLossState> {
    let count = kinds.reduce(0) { if case .sample(let number) = $1 { max($0, number + 1) } else { $0 } }
    return log.states(ofPrefixes: prefixes, samplesPerPrefix: count, seed: seed).lazy
      .filter { kinds.contains($0.kind) }
  }

  private func promise(of state: PowerLossState, isSecond: Bool) -> PowerLossHistory.Promise {
    if let promise { return promise }
    if state.kind == .everything, !isSecond { return .stored }
    return workload.durability == .synced ? .flushed : .whole
  }

  private func check(
    _ state: PowerLossState, _ files: MemoryFileSystem, _ report: inout Report,
    second: PowerLossState? = nil
  ) {
    report.states += 1
    let promise = promise(of: state, isSecond: second != nil)
    let place = "\(state)" + (second.map { "; then \($0)" } ?? "")
    var failures: [String] = []
    defer { report.failures += failures.map { "\($0): \(place)" } }
    guard let cache = open(files, &failures) else { return }
    // Removed files that came back may exceed the capacity: then the entries used longest ago are evicted.
    let isEvicting = cache.statistics.evictions > 0
    if isEvicting { report.evicting += 1 }
    for number in 0..<PowerLossWorkload.keyCount {
      let entry = cache.entry(
        forKey: PowerLossWorkload.key(number), in: PowerLossWorkload.partition(of: number))
      if entry != nil { report.served += 1 }
      let fault = run.history.fault(
        of: number, entry: entry, after: state.operationCount, promise: promise)
      guard let fault, fault != .missing || !isEvicting else { continue }
      report.faults.append(Finding(fault: fault, key: number, kind: (second ?? state).kind, place: place))
    }
    report.damaged += cache.statistics.corruptEntries
    if cache.totalByteCount > workload.capacity { failures.append("exceeds its capacity") }
    if goesOn { use(cache, files, &failures) }
    cache.close()
  }

  private func open(_ files: MemoryFileSystem, _ failures: inout [String]) -> DiskCache? {
    let date = run.date
    do {
      let cache = try DiskCache(
        directory: PowerLossWorkload.directory, configuration: workload.configuration(files) { date })
      if !cache.statistics.isWriter { failures.append("opens for reading only") }
      return cache
    } catch {
      failures.append("does not open: \(error)")
      return nil
    }
  }

  /// Stores an entry under every key again, closes the cache, opens it, and looks at the entries.
  private func use(_ cache: DiskCache, _ files: MemoryFileSystem, _ failures: inout [String]) {
    for (number, content) in Self.later.enumerated() {
      let isStored = cache.store(
        content.body, metadata: content.metadata, forKey: PowerLossWorkload.key(number),
        in: PowerLossWorkload.partition(of: number))
      if !isStored { failures.append("does not store key \(number) any more") }
    }
    cache.close()
    guard let again = open(files, &failures) else { return }
    for (number, content) in Self.later.enumerated() {
      let entry = again.entry(
        forKey: PowerLossWorkload.key(number), in: PowerLossWorkload.partition(of: number))
      // A small cache may have evicted some, though not the last.
      if entry == nil, number < Self.later.count - 1 { continue }
      if entry?.body != content.body || entry?.metadata != content.metadata {
        failures.append("does not serve key \(number), which was stored after")
      }
    }
    if !again.verify().isSound { failures.append("has damaged entries after all were stored again") }
    again.close()
  }

  private static let later = (0..<PowerLossWorkload.keyCount).map {
    PowerLossHistory.Content(key: $0, version: 1 << 20, byteCount: 300, metadataByteCount: 20)
  }
}
