/// Lends a decode a second thread, where one has nothing else to do.
///
/// A decoder that can divide a picture asks for it when it begins. Whether there is one is for whoever schedules decodes
/// to say: while others wait for a thread there is none, so that many pictures take no longer because of a large one.
public struct DecodingAssistant: Sendable {
  private let lend: @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool

  /// - Parameter lend: runs work on another thread, soon, and returns at once; or returns `false` and forgets it. Called
  ///   on the decoding thread. Work that is never run is no fault: the decode goes on without.
  public init(lend: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Bool) {
    self.lend = lend
  }

  /// Runs work on another thread; `false` when there is none.
  package func begin(_ work: @escaping @Sendable () -> Void) -> Bool { lend(work) }
}
