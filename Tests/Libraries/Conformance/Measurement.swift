import OzuImaging

#if canImport(Glibc)
  import Glibc
#endif

/// The cost of some work: the processor time of this thread, and the rise of the process's memory.
struct Measurement {
  var milliseconds = 0.0
  var peakBytes = 0

  /// Runs the work and measures it.
  static func of<Value>(_ work: () -> Value) -> (Value, Measurement) {
    PixelBufferPool.shared.releaseIdle()
    PixelBufferPool.shared.resetPeak()
    let before = resetPeakMemory()
    let start = DecodingContext.systemThreadTime()
    let value = work()
    let spent = DecodingContext.systemThreadTime() - start
    let rise = peakMemory().flatMap { peak in before.map { peak - $0 } }
    let peak = max(0, rise ?? PixelBufferPool.shared.statistics.peakLentByteCount)
    return (value, Measurement(milliseconds: spent / .milliseconds(1), peakBytes: peak))
  }

  /// Resets the peak of the system's measurement; returns the memory in use now, or `nil` if that is not available.
  private static func resetPeakMemory() -> Int? {
    #if canImport(Glibc)
      guard let file = fopen("/proc/self/clear_refs", "w") else { return nil }
      fputs("5", file)
      fclose(file)
    #endif
    return peakMemory()
  }

  private static func peakMemory() -> Int? {
    #if canImport(Glibc)
      guard let file = fopen("/proc/self/status", "r") else { return nil }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard text.hasPrefix("VmHWM:") else { continue }
        return Int(text.filter(\.isNumber)).map { $0 * 1024 }
      }
    #endif
    return nil
  }
}
