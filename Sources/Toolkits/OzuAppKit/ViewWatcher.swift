#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Ozu

  /// An invisible subview that learns about events of its superview: size, screen and visibility. In this way every view can be
  /// observed without a subclass and without swizzling.
  final class ViewWatcher: NSView, ViewWatching {
    /// Called after each change of size or of screen.
    var onLayout: () -> Void = {}
    /// Called when the visibility may have changed, with whether the view is in a window and not hidden.
    var onVisibilityChange: (Bool) -> Void = { _ in }

    /// Puts a watcher into a view.
    init(in view: NSView) {
      super.init(frame: view.bounds)
      autoresizingMask = [.width, .height]
      view.addSubview(self)
      // The first layout counts also if it gives no size.
      needsLayout = true
    }

    @available(*, unavailable, message: "watchers are made by the views' displays")
    required init?(coder: NSCoder) {
      nil
    }

    /// Lets clicks go to the view below.
    override func hitTest(_ point: NSPoint) -> NSView? { nil }

    override func setFrameSize(_ newSize: NSSize) {
      super.setFrameSize(newSize)
      onLayout()
    }

    override func layout() {
      super.layout()
      onLayout()
    }

    override func viewDidChangeBackingProperties() {
      super.viewDidChangeBackingProperties()
      onLayout()
    }

    override func viewDidMoveToWindow() {
      super.viewDidMoveToWindow()
      tellVisibility()
    }

    override func viewDidHide() {
      super.viewDidHide()
      tellVisibility()
    }

    override func viewDidUnhide() {
      super.viewDidUnhide()
      tellVisibility()
    }

    private func tellVisibility() {
      onVisibilityChange(window != nil && !isHiddenOrHasHiddenAncestor)
    }
  }
#endif
