import OzuBase

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

/// Writes the events of a pipeline to a log.
///
/// One line for each event: first a verb, then figures, and the source last, so that lines of one kind or of one
/// source can be found by their beginning or their end.
struct LoggingObserver: ImagePipelineObserving {
  private let log: any ImageLogging

  init(_ log: any ImageLogging) {
    self.log = log
  }

  /// Writes a line. The name of a source in it may be that of a file of another person.
  private func write(_ level: ImageLogLevel, _ line: @autoclosure () -> String) {
    log.log(level, PrintableText.oneLine(line()))
  }

  func requestBegan(_ request: ObservedRequest) {
    write(.debug, "request \(request.id): \(Self.subject(request.request))")
  }

  func requestEnded(_ request: ObservedRequest, _ outcome: RequestOutcome, after time: Duration) {
    let time = Self.text(time)
    switch outcome {
    case .picture(let response):
      let shared = response.isCoalesced ? ", shared" : ""
      write(
        .info, "from \(response.source.rawValue) in \(time)\(shared): \(Self.subject(request.request))")
    case .data(let byteCount):
      write(.info, "\(byteCount) bytes in \(time): \(Self.subject(request.request))")
    case .cancelled: write(.info, "cancelled after \(time): \(Self.subject(request.request))")
    case .failure(let error): write(.error, "failed after \(time): \(error)")
    }
  }

  func stageEnded(_ stage: ObservedStage, after time: Duration, byteCount: Int) {
    let bytes = byteCount > 0 ? ", \(byteCount) bytes" : ""
    write(.debug, "\(stage.stage.rawValue) took \(Self.text(time))\(bytes): \(stage.source)")
  }

  func cacheHit(_ entry: ObservedEntry) { write(.debug, "hit \(Self.text(entry))") }
  func cacheMissed(_ entry: ObservedEntry) { write(.debug, "miss \(Self.text(entry))") }
  func cacheStored(_ entry: ObservedEntry) { write(.debug, "store \(Self.text(entry))") }

  func cacheEvicted(_ eviction: ObservedEviction) {
    let format = eviction.format.map { " of format \($0)" } ?? ""
    write(.notice, "evicted \(eviction.count) from \(eviction.store.rawValue)\(format)")
  }

  // MARK: Texts

  private static func text(_ entry: ObservedEntry) -> String {
    let bytes = entry.byteCount > 0 ? ", \(entry.byteCount) bytes" : ""
    return "\(entry.layer.rawValue)\(bytes): \(entry.request.map(subject) ?? entry.source)"
  }

  private static func subject(_ request: ImageRequest) -> String {
    ([request.source.name] + request.steps).joined(separator: " ")
  }

  /// In milliseconds with one digit, without a formatter.
  private static func text(_ time: Duration) -> String {
    let tenths = Int64(clamping: time / .microseconds(100))
    return "\(tenths / 10).\(tenths % 10) ms"
  }
}

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
    StandardError.put("ozu \(level): \(line)\n")
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
