import Foundation

/// Starts the threads of the loopback server. Its calls block, and the threads of Swift's cooperative pool must not block.
enum LoopbackThread {
  static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.start()
  }
}
