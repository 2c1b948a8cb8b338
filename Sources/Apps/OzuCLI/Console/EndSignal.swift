import Dispatch
import Foundation
import OzuBase

/// The first SIGTERM, SIGINT or SIGHUP; a second one ends the process as it would have. SIGHUP may instead have the settings read
/// again.
///
/// `Sendable`: the sources are made by `init` and only kept.
final class EndSignal: @unchecked Sendable {
  /// Open after the first signal.
  private let end = AsyncLatch()
  private let sources: [any DispatchSourceSignal]
  private let reload: (@Sendable () -> Void)?
  private let atEnd: @Sendable () -> Void

  /// Returns when the sources listen: the signals are ignored before that, so one that came earlier would be lost.
  ///
  /// - Parameters:
  ///   - reload: called for SIGHUP; `nil` for a process that it ends.
  ///   - atEnd: called before a second signal ends the process.
  init(reload: (@Sendable () -> Void)? = nil, atEnd: @escaping @Sendable () -> Void = {}) async {
    self.reload = reload
    self.atEnd = atEnd
    let queue = DispatchQueue(label: "ozu.signals")
    // `nohup` lets the process ignore SIGHUP.
    let numbers = [SIGTERM, SIGINT, SIGHUP].filter { !Interruption.isIgnored($0) }
    sources = numbers.map { number in
      // A source receives a signal only when its default action is switched off.
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for (source, number) in zip(sources, numbers) {
      source.setEventHandler { [weak self] in self?.come(number) }
    }
    for source in sources {
      await withCheckedContinuation { continuation in
        source.setRegistrationHandler { continuation.resume() }
        source.resume()
      }
    }
  }

  private func come(_ number: Int32) {
    if number == SIGHUP, let reload { return reload() }
    if end.open() { return }
    atEnd()
    Interruption.raiseUnhandled(number)
  }

  func wait() async { await end.wait() }
}
