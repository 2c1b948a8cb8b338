import OzuBase

/// Pixels that are decoded at their first use, once for all users.
///
/// The lock is held while they are decoded, so that a second user waits for them instead of decoding again.
final class DeferredPixels: Sendable {
  typealias Decode = @Sendable () throws(ImageDecodingError) -> Picture

  private enum State {
    /// The closure holds the file.
    case encoded(Decode)
    case decoded(Picture)
    case failed(ImageDecodingError, blank: Bitmap?)
  }

  let size: PixelSize
  /// The bytes that the pixels take after the decode.
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

  /// The notes of the decoded picture; none before the decode.
  var notes: [String] {
    state.withLock { if case .decoded(let picture) = $0 { picture.notes } else { [] } }
  }

  /// Whether the pixels were decoded in another process; `false` before the decode.
  var isIsolated: Bool {
    state.withLock { if case .decoded(let picture) = $0 { picture.isIsolated } else { false } }
  }

  /// The pixels; transparent ones if they cannot be decoded.
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

  /// Decodes the pixels, unless they are decoded already.
  func decode() throws(ImageDecodingError) {
    let error = state.withLock { state -> ImageDecodingError? in
      Self.decode(&state)
      if case .failed(let error, _) = state { return error }
      return nil
    }
    if let error { throw error }
  }

  private static func decode(_ state: inout State) {
    guard case .encoded(let decode) = state else { return }
    do throws(ImageDecodingError) {
      state = .decoded(try decode())
    } catch {
      state = .failed(error, blank: nil)
    }
  }
}
