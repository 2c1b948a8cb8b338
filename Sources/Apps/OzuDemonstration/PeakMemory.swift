import Foundation

/// Measures the peak of the process's resident memory during a piece of work (Linux).
public enum PeakMemory {
  /// Runs work, and returns the bytes by which the peak of resident memory exceeds its value at the start; `nil` if the
  /// system does not report it.
  ///
  /// Memory of other threads counts too. Idle memory in the heap and in pools hides memory that the work takes: see
  /// `measureTrimmed(_:)`.
  public static func measure<Value>(
    _ work: () async throws -> Value
  ) async rethrows -> (value: Value, byteCount: Int?) {
    let start = begin()
    let value = try await work()
    return (value, rise(since: start))
  }

  /// The same for work that does not suspend.
  public static func measureBlocking<Value>(
    _ work: () throws -> Value
  ) rethrows -> (value: Value, byteCount: Int?) {
    let start = begin()
    let value = try work()
    return (value, rise(since: start))
  }

  /// The same for work that does not suspend, after idle memory of the heap was given back.
  public static func measureTrimmed(_ work: () throws -> Void) rethrows -> Int? {
    trimHeap()
    return try measureBlocking(work).byteCount
  }

  /// Gives idle memory of the heap back to the system. Works with glibc; on other platforms it does nothing.
  public static func trimHeap() {
    #if canImport(Glibc)
      // Swift's module `Glibc` does not have this function.
      guard let symbol = dlsym(nil, "malloc_trim") else { return }
      // int malloc_trim(size_t), by its manual page.
      _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    #endif
  }

  private static func begin() -> Int? { reset() ? read("VmRSS") : nil }

  private static func rise(since start: Int?) -> Int? {
    guard let start, let peak = read("VmHWM") else { return nil }
    return max(0, peak - start)
  }

  /// Resets the peak to the current value (proc(5), clear_refs).
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
