/// The axes in which a view takes the size of its picture, because its layout gives it none there. A view that waited for its
/// size would never load: its size waits for the picture.
///
/// A value that the adapters update after each layout. A layout that gives the view a size of its own ends it, and the size of
/// the image that is shown does not.
package struct PictureSizing: Equatable {
  package private(set) var followsWidth = false
  package private(set) var followsHeight = false

  package init() {}

  package var isFollowing: Bool { followsWidth || followsHeight }

  /// Notes a layout.
  ///
  /// - Parameters:
  ///   - size: the size that the layout gave the view, in points.
  ///   - content: the size of the image in the view, or of the room that is reserved for it, in points; `nil` without one.
  package mutating func layoutDidChange(_ size: DisplaySize, content: DisplaySize?) {
    followsWidth = Self.follows(size.width, content?.width, followsWidth)
    followsHeight = Self.follows(size.height, content?.height, followsHeight)
  }

  private static func follows(_ side: Double, _ content: Double?, _ before: Bool) -> Bool {
    // Less than half a pixel of the coarsest screen is a rounding error.
    if side < 0.5 { return true }
    guard before, let content else { return false }
    // Layouts round to pixels.
    return abs(side - content) <= 1
  }

  /// The size to load pictures for, where the view has one: the other side is as long as the picture makes it.
  package func size(_ size: DisplaySize) -> DisplaySize {
    DisplaySize(followsWidth ? Self.unlimited : size.width, followsHeight ? Self.unlimited : size.height)
  }

  /// The mode to load pictures in: their own size if the view has none.
  package func mode(_ mode: ScaleMode) -> ScaleMode {
    switch (followsWidth, followsHeight) {
    case (true, true): .none
    case (false, false): mode
    default: .aspectFit
    }
  }

  /// More points than the longest side of a request has pixels, which is the limit.
  private static let unlimited = 1e6
}
