import OzuBase

/// Why a canvas was not drawn.
public enum CanvasError: Error, Hashable, Sendable {
  /// A value is impossible; the number of the element, from 0, or `nil` for the canvas itself, and the reason.
  case invalid(element: Int?, reason: String)
  /// The canvas would cost more than is allowed.
  case limitExceeded(DecodingLimits.Violation)
  /// There are more elements than `Canvas.mostElements`.
  case tooManyElements(Int)
  /// The picture of a source was not given.
  case missingPicture(String)
  /// A label cannot be drawn; the first value is the number of its element.
  case label(Int, LabelError)
  /// The work was cancelled.
  case cancelled
}

extension CanvasError: DescribedError {
  /// The error in one line, to show to people.
  public var description: String {
    switch self {
    case .invalid(let index?, let reason): "element \(index) of the canvas cannot be drawn: \(reason)"
    case .invalid(nil, let reason): "the canvas cannot be drawn: \(reason)"
    case .limitExceeded(let violation): "the canvas is refused: \(violation)"
    case .tooManyElements(let count): "the canvas is refused: \(count) elements, limit \(Canvas.mostElements)"
    case .missingPicture(let source): "the canvas needs a picture that was not given: \(source)"
    case .label(let index, let error): "element \(index) of the canvas: \(error)"
    case .cancelled: "cancelled"
    }
  }

  /// The error of a canvas for that of a decode, which checks the same limits.
  init(_ error: ImageDecodingError) {
    self =
      switch error {
      case .cancelled: .cancelled
      case .limitExceeded(let violation): .limitExceeded(violation)
      default: .invalid(element: nil, reason: "\(error)")
      }
  }
}
