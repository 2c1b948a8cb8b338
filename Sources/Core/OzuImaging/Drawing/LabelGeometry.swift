import OzuBase

/// The places of a label's parts on the bitmap that it is drawn on.
package struct LabelGeometry: Sendable {
  /// A rectangle in pixels from the left upper corner of the lines; `right` and `bottom` lie outside.
  package struct Box: Hashable, Sendable {
    package var left, top, right, bottom: Int

    package init(left: Int, top: Int, right: Int, bottom: Int) {
      (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    }

    fileprivate func grown(horizontally x: Int, vertically y: Int) -> Box {
      Box(
        left: left.saturatingDifference(x), top: top.saturatingDifference(y), right: right.saturatingSum(x),
        bottom: bottom.saturatingSum(y))
    }

    fileprivate func moved(_ x: Int, _ y: Int) -> Box {
      Box(
        left: left.saturatingSum(x), top: top.saturatingSum(y), right: right.saturatingSum(x),
        bottom: bottom.saturatingSum(y))
    }

    fileprivate func union(_ other: Box) -> Box {
      Box(
        left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
        bottom: max(bottom, other.bottom))
    }
  }

  /// The size of the bitmap: at least one pixel.
  package let size: PixelSize
  /// The place of the left upper corner of the lines on the bitmap.
  package let origin: (x: Int, y: Int)
  /// The box behind the text on the bitmap; `nil` without one.
  package let background: Box?
  /// How far the shadow is moved; `nil` without one.
  package let shadowOffset: (x: Int, y: Int)?

  /// - Parameters:
  ///   - lines: the lines of the text.
  ///   - ink: the lines, and what reaches out of them.
  package init(_ label: Label, lines: Box, ink: Box) {
    let box = label.background.map {
      lines.grown(horizontally: whole($0.horizontalPadding), vertically: whole($0.verticalPadding))
    }
    let drawn = box.map(ink.union) ?? ink
    shadowOffset = label.shadow.map { (whole($0.x), whole($0.y)) }
    let margins = label.shadowMargins
    let all = Box(
      left: drawn.left.saturatingDifference(margins.left), top: drawn.top.saturatingDifference(margins.top),
      right: drawn.right.saturatingSum(margins.right), bottom: drawn.bottom.saturatingSum(margins.bottom))
    size = PixelSize(
      max(1, all.right.saturatingDifference(all.left)), max(1, all.bottom.saturatingDifference(all.top)))
    origin = (0.saturatingDifference(all.left), 0.saturatingDifference(all.top))
    background = box?.moved(0.saturatingDifference(all.left), 0.saturatingDifference(all.top))
  }
}

/// The nearest whole number of pixels.
private func whole(_ length: Double) -> Int { Int(clamping: length, rounded: .toNearestOrAwayFromZero) }

extension Label {
  /// How far the shadow reaches beyond what throws it, on each side.
  var shadowMargins: LabelGeometry.Box {
    guard let shadow else { return LabelGeometry.Box(left: 0, top: 0, right: 0, bottom: 0) }
    // Three box filters reach a little farther than three standard deviations.
    let reach = shadow.blur > 0 ? Int(clamping: 3 * shadow.blur, rounded: .up).saturatingSum(2) : 0
    let (x, y) = (whole(shadow.x), whole(shadow.y))
    return LabelGeometry.Box(
      left: max(0, reach.saturatingDifference(x)), top: max(0, reach.saturatingDifference(y)),
      right: max(0, reach.saturatingSum(x)), bottom: max(0, reach.saturatingSum(y)))
  }
}
