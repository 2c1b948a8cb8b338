/// How much a line of a log matters.
public enum ImageLogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
  /// What every stage and every cache does.
  case debug
  /// How requests end.
  case info
  /// What the pipeline goes on without, as an eviction.
  case notice
  /// Requests that failed.
  case error

  /// By weight, the lightest first.
  public static func < (a: ImageLogLevel, b: ImageLogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// Takes the lines that a pipeline writes about itself. None is written unless one is set:
/// `ImagePipeline { $0.log = StandardErrorLog(.info) }`.
///
/// The built-in ones are `StandardErrorLog` and, on Apple platforms, `SystemLog`; another is a few lines:
///
/// ```swift
/// struct AppLog: ImageLogging {
///   let level = ImageLogLevel.info
///   func write(_ level: ImageLogLevel, _ line: String) { logger.log(level: .init(level), "\(line)") }
/// }
/// ```
public protocol ImageLogging: Sendable {
  /// The lightest level that is wanted. It may change while the pipeline runs.
  var level: ImageLogLevel { get }

  /// Takes a line of a level that is wanted. Called from any thread, several at once.
  func write(_ level: ImageLogLevel, _ line: String)
}

extension ImageLogging {
  /// Writes a line, if its level is wanted; the text is only made then.
  public func log(_ level: ImageLogLevel, _ line: @autoclosure () -> String) {
    if level >= self.level { write(level, line()) }
  }
}
