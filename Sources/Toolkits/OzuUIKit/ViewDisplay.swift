#if canImport(UIKit)
  import Accessibility
  import Ozu
  import UIKit

  /// Shows the pictures of a binding in a view of UIKit. The binding decides what is shown; this object tells it about layout
  /// and window, and draws. It belongs to its view.
  @MainActor
  final class ViewDisplay: ViewDisplaying, MotionFollowing {
    private(set) lazy var images = ImageBinding(self)

    private weak var view: UIView?
    private let place: any ViewPlace
    private var sizing = PictureSizing()
    private var needsClock = false
    /// The room for a picture whose pixels have not arrived.
    private var reserved: [NSLayoutConstraint] = []
    private lazy var clock = view.map { view in
      FrameClock(view) { [weak self] in self?.images.advance(to: $0) }
    }

    init(_ view: UIView, _ place: some ViewPlace) {
      self.view = view
      self.place = place
      ApplicationObserver.follow(images.pipeline)
    }

    var displaySize: DisplaySize? {
      guard let view else { return nil }
      return sizing.size(DisplaySize(place.size(in: view)))
    }

    var displayScale: Double { Double(view?.traitCollection.displayScale ?? 1) }

    private var imageScale: Double { images.scale(onScreen: displayScale) }

    var displayMode: ScaleMode { sizing.mode(view.map(place.mode) ?? .none) }

    /// A view under Auto Layout to which the layout gives no size takes that of its picture.
    func viewDidLayout() {
      guard let view, view.window != nil, !view.isHidden, place.takesSizeOfPicture,
        !view.translatesAutoresizingMaskIntoConstraints
      else { return }
      let content = reserved.isEmpty ? place.contentSize(in: view) : view.bounds.size
      sizing.layoutDidChange(DisplaySize(place.size(in: view)), content: content.map { DisplaySize($0) })
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
        side.priority = UILayoutPriority(rawValue: 252)
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
      let image = content.uiImage(scale: imageScale)
      guard case .fade(let duration) = transition, view.window != nil else {
        place.setImage(image, of: view)
        return
      }
      UIView.transition(
        with: view, duration: duration / .seconds(1),
        options: [.transitionCrossDissolve, .allowUserInteraction],
        animations: { [place] in place.setImage(image, of: view) })
    }

    func setFrameClock(isRunning: Bool) {
      needsClock = isRunning
      if isRunning { Motion.settings.follow(self) }
      motionSettingsDidChange()
    }

    /// Animations stand still for people who have switched them off, or motion, in the system's settings.
    func motionSettingsDidChange() {
      clock?.rate = needsClock && Motion.settings.allowsAnimations ? images.frameRate : nil
    }
  }

  /// A place of a view that shows a picture.
  @MainActor
  protocol ViewPlace {
    /// The size of the place, in points.
    func size(in view: UIView) -> CGSize
    /// The mode in which the view resizes a picture to that size.
    func mode(in view: UIView) -> ScaleMode
    /// Whether the view takes the size of the picture if its layout gives it none.
    var takesSizeOfPicture: Bool { get }
    /// The size of the image in such a view, in points; `nil` without one.
    func contentSize(in view: UIView) -> CGSize?
    func setImage(_ image: UIImage?, of view: UIView)
  }

  extension ViewPlace {
    var takesSizeOfPicture: Bool { false }

    func contentSize(in view: UIView) -> CGSize? { nil }
  }

  extension DisplaySize {
    fileprivate init(_ size: CGSize) { self.init(Double(size.width), Double(size.height)) }
  }

  extension ViewDisplays {
    /// The binding of a view's place, made when it is first needed.
    static func images(of view: UIView, named name: String, _ place: () -> some ViewPlace) -> ImageBinding {
      of(view, watcher: { ViewWatcher(in: view) }).images(named: name) { ViewDisplay(view, place()) }
    }
  }

  /// An invisible subview that learns about events of its superview: layout, the scale of its screen, and entering or leaving a window. In this way
  /// every view can be observed without a subclass and without swizzling.
  final class ViewWatcher: UIView, ViewWatching {
    /// Called after each layout, and each change of the scale.
    var onLayout: () -> Void = {}
    /// Called when the window may have changed, with whether there is one.
    var onVisibilityChange: (Bool) -> Void = { _ in }

    init(in view: UIView) {
      super.init(frame: view.bounds)
      isUserInteractionEnabled = false
      isAccessibilityElement = false
      autoresizingMask = [.flexibleWidth, .flexibleHeight]
      view.insertSubview(self, at: 0)
      registerForTraitChanges([UITraitDisplayScale.self]) { (watcher: ViewWatcher, _) in watcher.onLayout() }
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
      onVisibilityChange(window != nil)
    }
  }

  /// The settings for animated images and for reduced motion.
  @MainActor
  enum Motion {
    static let settings = MotionSettings(changes: [
      NotificationSource(AccessibilitySettings.animatedImagesEnabledDidChangeNotification),
      NotificationSource(UIAccessibility.reduceMotionStatusDidChangeNotification),
    ]) {
      AccessibilitySettings.animatedImagesEnabled && !UIAccessibility.isReduceMotionEnabled
    }
  }
#endif
