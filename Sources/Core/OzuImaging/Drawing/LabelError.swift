/// Why a label was not drawn or measured.
public enum LabelError: Error, Hashable, Sendable {
  /// A value of the label is impossible: its name, and the reason.
  case invalid(String, reason: String)
  /// The font does not exist, or cannot be read; the reason names what was tried.
  case fontNotFound(reason: String)
  /// The label would cost more than is allowed.
  case limitExceeded(DecodingLimits.Violation)
  /// Labels cannot be drawn here; the reason says what is missing.
  case unavailable(reason: String)
  /// The process that draws crashed, was stopped, or could not be started.
  case drawingFailed(DecoderFailure)
  /// The work was cancelled.
  case cancelled
}

extension LabelError: CustomStringConvertible {
  /// The error in one line, to show to people.
  public var description: String {
    switch self {
    case .invalid(let name, let reason): "the \(name) of a label: \(reason)"
    case .fontNotFound(let reason): "the font of a label: \(reason)"
    case .limitExceeded(let violation): "a label is refused: \(violation)"
    case .unavailable(let reason): "labels cannot be drawn: \(reason)"
    case .drawingFailed(let failure): "drawing a label \(failure)"
    case .cancelled: "cancelled"
    }
  }
}
