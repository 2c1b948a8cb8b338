/// Lends a decode a second thread that is idle.
///
/// A decoder that can divide a picture asks for the thread when it begins. The scheduler of decodes decides whether
/// there is one: while other decodes wait for a thread, there is none, so a large picture does not delay them.
package struct DecodingAssistant: Sendable {
  private let lend: @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

  /// - Parameter lend: runs the work on another thread, soon, and returns at once; or returns `false` and drops it.
  ///   Called on the decoding thread. Work that is never run is no error: the decode goes on without it.
  package init(lend: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool) {
    self.lend = lend
  }

  /// Runs work on another thread; `false` if there is none.
  package func begin(_ work: @escaping @Sendable () -> Void) -> Bool { lend(work) }
}
