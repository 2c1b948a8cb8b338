#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import Accessibility
  import AppKit
  import Ozu
  import QuartzCore

  /// Shows the pictures of a binding in a view of AppKit. The binding decides what is shown; this object tells it about size
  /// and visibility, and draws. It belongs to its view.
  @MainActor
  final class ViewDisplay: ViewDisplaying, MotionFollowing {
    private(set) lazy var images = ImageBinding(self)

    private weak var view: NSView?
    private let place: any ViewPlace
    private var sizing = PictureSizing()
    private var needsClock = false
    /// The room for a picture whose pixels have not arrived.
    private var reserved: [NSLayoutConstraint] = []
    private lazy var clock = TimerClock { [weak self] time in
      // A window that is minimised or covered shows nothing.
      guard let self, view?.window?.occlusionState.contains(.visible) == true else { return }
      images.advance(to: time)
    }

    init(_ view: NSView, _ place: some ViewPlace) {
      self.view = view
      self.place = place
      ApplicationObserver.follow(images.pipeline)
    }

    var displaySize: DisplaySize? {
      guard let view else { return nil }
      return sizing.size(DisplaySize(view.bounds.size))
    }

    /// The pixels per point of the window's screen. Cells are given their pictures before they have a window; then it is that
    /// of the main screen.
    var displayScale: Double {
      Double(view?.window?.backingScaleFactor ?? NSScreen.main?.backingScaleFactor ?? 2)
    }

    private var imageScale: Double { images.scale(onScreen: displayScale) }

    var displayMode: ScaleMode { sizing.mode(view.map(place.mode) ?? .none) }

    /// A view under Auto Layout to which the layout gives no size takes that of its picture.
    func viewDidLayout() {
      guard let view, view.window != nil, !view.isHidden, place.takesSizeOfPicture,
        !view.translatesAutoresizingMaskIntoConstraints
      else { return }
      let content = reserved.isEmpty ? place.contentSize(in: view) : view.bounds.size
      sizing.layoutDidChange(DisplaySize(view.bounds.size), content: content.map { DisplaySize($0) })
    }

    /// Reserves the room by constraints, just above those by which a view fits its content.
    func reserve(_ size: PixelSize) {
      guard let view, sizing.isFollowing else { return }
      release()
      let sides = [
        (view.widthAnchor, size.width, sizing.followsWidth),
        (view.heightAnchor, size.height, sizing.followsHeight),
      ]
      reserved = sides.filter(\.2).map { anchor, pixels, _ in
        let side = anchor.constraint(equalToConstant: CGFloat(Double(pixels) / imageScale))
        side.priority = NSLayoutConstraint.Priority(rawValue: 252)
        return side
      }
      NSLayoutConstraint.activate(reserved)
    }

    private func release() {
      NSLayoutConstraint.deactivate(reserved)
      reserved = []
    }

    func show(_ content: DisplayContent, transition: DisplayTransition) {
      guard let view else { return }
      // A preview may be smaller than the picture.
      if case .preview = content {} else { release() }
      if case .fade(let duration) = transition, view.window != nil {
        let fade = CATransition()
        fade.type = .fade
        fade.duration = duration / .seconds(1)
        view.wantsLayer = true
        view.layer?.add(fade, forKey: "ozu.fade")
      }
      place.setImage(content.nsImage(scale: imageScale), of: view)
    }

    func setFrameClock(isRunning: Bool) {
      needsClock = isRunning
      if isRunning { Motion.settings.follow(self) }
      motionSettingsDidChange()
    }

    /// Animations stand still for people who have switched them off, or motion, in the system's settings.
    func motionSettingsDidChange() {
      clock.rate = needsClock && Motion.settings.allowsAnimations ? images.frameRate : nil
    }
  }

  /// A place of a view that shows a picture.
  @MainActor
  protocol ViewPlace {
    /// The mode in which the view resizes a picture to its size.
    func mode(in view: NSView) -> ScaleMode
    /// Whether the view takes the size of the picture if its layout gives it none.
    var takesSizeOfPicture: Bool { get }
    /// The size of the image in such a view, in points; `nil` without one.
    func contentSize(in view: NSView) -> CGSize?
    func setImage(_ image: NSImage?, of view: NSView)
  }

  extension ViewPlace {
    var takesSizeOfPicture: Bool { false }

    func contentSize(in view: NSView) -> CGSize? { nil }
  }

  extension DisplaySize {
    fileprivate init(_ size: CGSize) { self.init(Double(size.width), Double(size.height)) }
  }

  extension ViewDisplays {
    /// The binding of a view's place, made when it is first needed.
    static func images(of view: NSView, named name: String, _ place: () -> some ViewPlace) -> ImageBinding {
      of(view, watcher: { ViewWatcher(in: view) }).images(named: name) { ViewDisplay(view, place()) }
    }
  }

  /// An invisible subview that learns about events of its superview: size, screen and visibility. In this way every view can be
  /// observed without a subclass and without swizzling.
  final class ViewWatcher: NSView, ViewWatching {
    /// Called after each change of size or of screen.
    var onLayout: () -> Void = {}
    /// Called when the visibility may have changed, with whether the view is in a window and not hidden.
    var onVisibilityChange: (Bool) -> Void = { _ in }

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

  /// The settings for animated images and for reduced motion.
  @MainActor
  enum Motion {
    static let settings = MotionSettings(changes: [
      NotificationSource(AccessibilitySettings.animatedImagesEnabledDidChangeNotification),
      NotificationSource(
        NSWorkspace.accessibilityDisplayOptionsDidChangeNotification, NSWorkspace.shared.notificationCenter),
    ]) {
      AccessibilitySettings.animatedImagesEnabled
        && !NSWorkspace.shared.accessibilityDisplayShouldReduceMotion
    }
  }
#endif
