import OzuSynchronization

/// Pixels that are decoded when somebody first looks at them: once, for all who do.
///
/// The lock is held while they are decoded, so that who comes meanwhile waits for them instead of decoding them too.
final class DeferredPixels: Sendable {
  typealias Decode = @Sendable () throws(DecodingError) -> Picture

  private enum State {
    /// Holds the file.
    case encoded(Decode)
    case decoded(Picture)
    case failed(DecodingError, blank: Bitmap?)
  }

  let size: PixelSize
  /// The bytes they take, once decoded.
  let byteCount: Int
  private let state: Mutex<State>

  init(size: PixelSize, byteCount: Int, _ decode: @escaping Decode) {
    self.size = size
    self.byteCount = byteCount
    state = Mutex(.encoded(decode))
  }

  var isDecoded: Bool {
    state.withLock { if case .decoded = $0 { true } else { false } }
  }

  /// What was wrong with the file, as far as it was looked at.
  var notes: [String] {
    state.withLock { if case .decoded(let picture) = $0 { picture.notes } else { [] } }
  }

  /// Whether they were decoded in a process of its own.
  var isIsolated: Bool {
    state.withLock { if case .decoded(let picture) = $0 { picture.isIsolated } else { false } }
  }

  /// The pixels; transparent ones where they cannot be decoded.
  var bitmap: Bitmap {
    state.withLock { state in
      Self.decode(&state)
      switch state {
      case .decoded(let picture): return picture.bitmap
      case .failed(_, let blank?): return blank
      case .failed(let error, nil):
        let blank = Bitmap(size: size, isOpaque: false) { _, _ in .clear }
        state = .failed(error, blank: blank)
        return blank
      case .encoded: preconditionFailure("decoded above")
      }
    }
  }

  /// Decodes them, unless they are there.
  func decode() throws(DecodingError) {
    let error = state.withLock { state -> DecodingError? in
      Self.decode(&state)
      if case .failed(let error, _) = state { return error }
      return nil
    }
    if let error { throw error }
  }

  private static func decode(_ state: inout State) {
    guard case .encoded(let decode) = state else { return }
    do throws(DecodingError) {
      state = .decoded(try decode())
    } catch {
      state = .failed(error, blank: nil)
    }
  }
}
