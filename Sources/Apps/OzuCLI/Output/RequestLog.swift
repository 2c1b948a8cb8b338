#if canImport(OzuServer)
  import Dispatch
  import Foundation
  import OzuBase
  import OzuServer

  /// Writes a line for each request, on a thread of its own, so that no answer waits for the reader of the log. When the
  /// reader is too slow, lines are left out, and a line says how many.
  final class RequestLog: Sendable {
    private static let limit = 10_000

    private let console: Console
    private let isText: Bool
    private let queue = DispatchQueue(label: "ozu.log", qos: .utility)
    private let state = Mutex((waiting: 0, left: 0))

    /// - Parameter isText: whether lines are for people; else each is an object of JSON.
    init(_ console: Console, isText: Bool = false) { (self.console, self.isText) = (console, isText) }

    func write(_ record: ServiceLogRecord) {
      let isTaken = state.withLock { state in
        guard state.waiting < Self.limit else {
          state.left += 1
          return false
        }
        state.waiting += 1
        return true
      }
      guard isTaken else { return }
      queue.async { [self] in
        console.print(isText ? record.textLine : record.jsonLine)
        let left = state.withLock { state in
          state.waiting -= 1
          guard state.waiting == 0 else { return 0 }
          defer { state.left = 0 }
          return state.left
        }
        if left > 0 { console.print(isText ? "\(left) lines were left out" : "{\"dropped\": \(left)}") }
      }
    }

    /// Writes a line to standard error, after the lines before it. The caller does not wait for a reader either.
    func report(_ line: String) { queue.async { [console] in console.printError(line) } }

    /// Returns when everything is written.
    func finish() { queue.sync {} }
  }

  /// Which requests are logged; it may change.
  final class LogThreshold: Sendable {
    private let level: Mutex<ServeSettings.LogLevel>

    init(_ level: ServeSettings.LogLevel) { self.level = Mutex(level) }

    var current: ServeSettings.LogLevel { level.withLock { $0 } }

    func change(to level: ServeSettings.LogLevel) { self.level.withLock { $0 = level } }
  }
#endif
