/// A processor with lengths: pixels in a request for a pipeline, points in a view, so that a corner is as round on every screen.
public protocol ScaledProcessing: ImageProcessing {
  /// The same with its lengths multiplied by a factor.
  func scaled(by factor: Double) -> Self
}

extension RoundedCorners: ScaledProcessing {
  /// The same with its radius and the width of its border multiplied by a factor.
  public func scaled(by factor: Double) -> RoundedCorners {
    let line = border.map { Border(width: $0.width * factor, color: $0.color) }
    return switch shape {
    case .rectangle(let radius): RoundedCorners(.rectangle(radius: radius * factor), border: line)
    case .circle: RoundedCorners(.circle, border: line)
    }
  }
}

extension GaussianBlur: ScaledProcessing {
  /// The same with its radius multiplied by a factor.
  public func scaled(by factor: Double) -> GaussianBlur { GaussianBlur(radius: radius * factor) }
}
