import Foundation

/// The most memory the process has had resident during a piece of work, as the system counts it.
enum PeakMemory {
  /// Bytes by which the resident memory rose at its highest above what it was at the start; `nil` where the
  /// system does not tell.
  static func measure<Value>(
    _ work: () async throws -> Value
  ) async rethrows -> (value: Value, byteCount: Int?) {
    let before = reset() ? read("VmRSS") : nil
    let value = try await work()
    guard let before, let peak = read("VmHWM") else { return (value, nil) }
    return (value, max(0, peak - before))
  }

  /// The same for work that does not suspend.
  static func measureBlocking<Value>(_ work: () throws -> Value) rethrows -> (value: Value, byteCount: Int?) {
    let before = reset() ? read("VmRSS") : nil
    let value = try work()
    guard let before, let peak = read("VmHWM") else { return (value, nil) }
    return (value, max(0, peak - before))
  }

  /// The same for work that waits for nothing, after the heap has given back what it can: what lay idle in it would
  /// hide what the work takes.
  static func measureTrimmed(_ work: () throws -> Void) rethrows -> Int? {
    Heap.trim()
    return try measureBlocking(work).byteCount
  }

  /// Sets the high-water mark back to the present (proc(5), clear_refs).
  private static func reset() -> Bool {
    guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
    defer { try? file.close() }
    return (try? file.write(contentsOf: Data("5".utf8))) != nil
  }

  private static func read(_ field: String) -> Int? {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field + ":") }),
      let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return kilobytes * 1024
  }
}
