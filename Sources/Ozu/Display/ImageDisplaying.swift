/// What a view offers so that an `ImageBinding` can put pictures into it: where, how large, and a way to show them.
///
/// There is nothing to decide here. An adapter for a toolkit tells what the view is like, shows what it is told to,
/// and calls the binding when the view is laid out, appears or disappears:
///
/// ```swift
/// final class PictureView: ToolkitView, ImageDisplaying {
///   lazy var images = ImageBinding(self)
///   var displaySize: DisplaySize? { DisplaySize(width: bounds.width, height: bounds.height) }
///   var displayScale: Double { window.scale }
///   var displayMode: ScaleMode { .aspectFill }
///   func show(_ content: DisplayContent, transition: DisplayTransition) { texture = content.bitmap.map(Texture.init) }
///   override func layout() { images.layoutDidChange() }
/// }
/// ```
@MainActor
public protocol ImageDisplaying: AnyObject {
  /// The size of the place for the picture, in points; `nil` or an empty size before the first layout.
  var displaySize: DisplaySize? { get }

  /// How many pixels make a point on the view's screen.
  var displayScale: Double { get }

  /// How the view brings a picture to its size: its content mode, in the words of Ozu. `.none` when it shows
  /// pictures at their own size.
  var displayMode: ScaleMode { get }

  /// Shows something in the place of what is shown.
  func show(_ content: DisplayContent, transition: DisplayTransition)

  /// Gives the picture its place before any pixel of it is there: called when its size is known, at most once for each
  /// load, and never after the picture is shown. A view whose size follows from its picture takes this size, so that
  /// nothing around it moves when the picture comes. Does nothing by default.
  ///
  /// - Parameter size: that of the picture that will be shown, in pixels.
  func reserve(_ size: PixelSize)

  /// Begins or ends to call `ImageBinding.advance(to:)` for every frame the toolkit draws. A view without a clock
  /// shows the first frame of what moves. Does nothing by default.
  func setFrameClock(isRunning: Bool)

  /// Called after each change of the binding's `phase` and `progress`, before the app hears of it. A view that shows
  /// how far its picture has come asks its binding then. Does nothing by default.
  func stateDidChange()
}

extension ImageDisplaying {
  /// Leaves the view as large as it is.
  public func reserve(_ size: PixelSize) {}

  /// Leaves what moves at its first frame.
  public func setFrameClock(isRunning: Bool) {}

  /// Shows nothing of how far the picture has come.
  public func stateDidChange() {}
}

/// A width and a height in points.
public struct DisplaySize: Hashable, Sendable {
  /// The width in points.
  public var width: Double
  /// The height in points.
  public var height: Double

  /// Makes a size from a width and a height in points.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Makes a size from a width and a height in points; for this package alone.
  package init(_ width: Double, _ height: Double) {
    self.init(width: width, height: height)
  }
}
