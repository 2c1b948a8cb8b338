#if canImport(UIKit) && !os(watchOS)
  import UIKit

  /// An invisible subview that learns what becomes of the view it lies in: layout, and coming into a window or leaving
  /// it. In this way every view can be followed without a subclass and without swizzling.
  final class ViewWatcher: UIView {
    /// Called after each layout.
    var onLayout: () -> Void = {}
    /// Called with whether there is a window, when that may have changed.
    var onWindowChange: (Bool) -> Void = { _ in }

    /// Puts a watcher into a view.
    init(in view: UIView) {
      super.init(frame: view.bounds)
      isUserInteractionEnabled = false
      isAccessibilityElement = false
      autoresizingMask = [.flexibleWidth, .flexibleHeight]
      view.insertSubview(self, at: 0)
    }

    @available(*, unavailable, message: "watchers are made by the views' displays")
    required init?(coder: NSCoder) {
      nil
    }

    override func layoutSubviews() {
      super.layoutSubviews()
      onLayout()
    }

    override func didMoveToWindow() {
      super.didMoveToWindow()
      onWindowChange(window != nil)
    }
  }
#endif
