#if GTK
  import CGTK

  /// A closure that waits for the answer of a dialog or a program of the desktop. C has it as a pointer, and calls it once on
  /// the thread of GTK's main loop.
  @MainActor
  final class Answer<Value: Sendable> {
    private let handler: @MainActor (Result<Value, DesktopError>) -> Void

    init(_ handler: @escaping @MainActor (Result<Value, DesktopError>) -> Void) {
      self.handler = handler
    }

    /// The pointer for C. It holds this object until `take`.
    func retained() -> gpointer { Unmanaged.passRetained(self).toOpaque() }

    /// Passes an answer on to the object behind a pointer of `retained`, which is valid no longer.
    nonisolated static func take(_ pointer: gpointer?, _ value: Result<Value, DesktopError>) {
      guard let pointer else { return }
      let answer = Unmanaged<Answer>.fromOpaque(pointer).takeRetainedValue()
      MainActor.assumeIsolated { answer.handler(value) }
    }
  }

  /// The reason that GLib gives for a failure, in words for people.
  struct DesktopError: Error {
    let message: String

    /// Copies the message of an error, which stays the caller's.
    init(_ error: UnsafePointer<GError>?) {
      message = error?.pointee.message.map { String(cString: $0) } ?? "unknown"
    }
  }
#endif
