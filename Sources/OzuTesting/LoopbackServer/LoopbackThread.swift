import Foundation

/// Starts the loopback server's own threads: its calls block, which the concurrency pool's threads must not.
enum LoopbackThread {
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.start()
  }
}
