import Foundation

#if canImport(os)
  import os
#endif

/// Writes to standard error, a line at a time: `ozu info: from network in 31 ms: https://example.com/a.jpg`.
public struct StandardErrorLog: ImageLogging {
  /// The least important level that is written.
  public let level: ImageLogLevel

  /// Makes a log that writes lines of a level and above; `info` by default.
  public init(_ level: ImageLogLevel = .info) {
    self.level = level
  }

  /// Writes a line in one piece, so that lines of several threads do not mix. Does nothing if the stream is closed.
  public func write(_ level: ImageLogLevel, _ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("ozu \(level): \(line)\n".utf8))
  }
}

#if canImport(os)
  /// Writes to the unified log of Apple's systems, where addresses are shown as private data.
  public struct SystemLog: ImageLogging {
    /// The least important level that is written.
    public let level: ImageLogLevel
    private let logger: Logger

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - subsystem: usually the identifier of the app's bundle.
    ///   - category: the category by which lines can be filtered.
    public init(_ level: ImageLogLevel = .info, subsystem: String, category: String = "images") {
      self.level = level
      logger = Logger(subsystem: subsystem, category: category)
    }

    /// Writes a line.
    public func write(_ level: ImageLogLevel, _ line: String) {
      let type: OSLogType =
        switch level {
        case .debug: .debug
        case .info: .info
        case .notice: .default
        case .error: .error
        }
      logger.log(level: type, "\(line, privacy: .private)")
    }
  }
#endif
