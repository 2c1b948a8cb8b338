/// The importance of a log line.
public enum ImageLogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// The work of every stage and every cache.
  case debug
  /// The ends of requests.
  case info
  /// Events that do not fail a request, such as an eviction.
  case notice
  /// Requests that failed.
  case error

  /// Orders by importance, the least important first.
  public static func < (a: ImageLogLevel, b: ImageLogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// Receives the log lines of a pipeline. Nothing is logged unless a log is set: `ImagePipeline { $0.log =
/// StandardErrorLog(.info) }`.
///
/// The built-in logs are `StandardErrorLog` and, on Apple platforms, `SystemLog`. A log of your own takes a few
/// lines:
///
/// ```swift
/// struct AppLog: ImageLogging {
///   let level = ImageLogLevel.info
///   func write(_ level: ImageLogLevel, _ line: String) { logger.log(level: .init(level), "\(line)") }
/// }
/// ```
public protocol ImageLogging: Sendable {
  /// The least important level to write. It may change while the pipeline runs.
  var level: ImageLogLevel { get }

  /// Writes a line whose level is wanted. Called from any thread, several at once.
  func write(_ level: ImageLogLevel, _ line: String)
}

extension ImageLogging {
  /// Writes a line if its level is wanted. The text is only built then.
  public func log(_ level: ImageLogLevel, _ line: @autoclosure () -> String) {
    if level >= self.level { write(level, line()) }
  }
}
