/// A view into which an `ImageBinding` can put pictures: its size, its scale, and a way to show content.
///
/// An implementation decides nothing. The adapter of a toolkit describes the view, shows the content that it
/// receives, and calls the binding when the view is laid out, appears or disappears:
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
  /// The size of the picture's area, in points; `nil` or an empty size before the first layout.
  var displaySize: DisplaySize? { get }

  /// The number of pixels per point on the view's screen.
  var displayScale: Double { get }

  /// How the view scales a picture to its size: its content mode, as a `ScaleMode`. `.none` if it shows pictures at
  /// their own size.
  var displayMode: ScaleMode { get }

  /// Shows content in place of the current one.
  func show(_ content: DisplayContent, transition: DisplayTransition)

  /// Reserves space for the picture before its first pixels. Called when its size is known, once for each load and again
  /// after a placeholder that is shown anew, and never after the picture is shown. A view whose size follows from its
  /// picture takes this size, so that nothing around it moves when the picture appears. Does nothing by default.
  ///
  /// - Parameter size: the size of the picture that will be shown, in pixels.
  func reserve(_ size: PixelSize)

  /// Starts or stops calling `ImageBinding.advance(to:)` for every frame that the toolkit draws, or as often as
  /// `ImageBinding.shortestFrameDelay` asks for. A view without a clock shows the first frame of an animation. Does nothing by
  /// default.
  func setFrameClock(isRunning: Bool)

  /// Called after each change of the binding's `phase` and `progress`, before the app is notified. A view that shows
  /// progress reads it from its binding then. Does nothing by default.
  func stateDidChange()
}

extension ImageDisplaying {
  /// Does nothing: the view keeps its size.
  public func reserve(_ size: PixelSize) {}

  /// Does nothing: animations stay at their first frame.
  public func setFrameClock(isRunning: Bool) {}

  /// Does nothing: the view shows no progress.
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
