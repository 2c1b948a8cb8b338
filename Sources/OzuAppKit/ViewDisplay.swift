#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import Accessibility
  import AppKit
  import Ozu
  import QuartzCore

  /// Shows the pictures of a binding in a view of AppKit. The binding decides what is shown; this object tells it about size
  /// and visibility, and draws. It belongs to its view.
  @MainActor
  final class ViewDisplay: ViewDisplaying {
    private(set) lazy var images = ImageBinding(self)

    private weak var view: NSView?
    private let place: any ViewPlace
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
      guard let size = view?.bounds.size else { return nil }
      return DisplaySize(Double(size.width), Double(size.height))
    }

    /// The pixels per point of the window's screen. Cells are given their pictures before they have a window; then it is that
    /// of the main screen.
    var displayScale: Double {
      Double(view?.window?.backingScaleFactor ?? NSScreen.main?.backingScaleFactor ?? 2)
    }

    var displayMode: ScaleMode { view.map(place.mode) ?? .none }

    func show(_ content: DisplayContent, transition: DisplayTransition) {
      guard let view else { return }
      if case .fade(let duration) = transition, view.window != nil {
        let fade = CATransition()
        fade.type = .fade
        fade.duration = duration / .seconds(1)
        view.wantsLayer = true
        view.layer?.add(fade, forKey: "ozu.fade")
      }
      place.setImage(content.nsImage(scale: displayScale), of: view)
    }

    /// Animations stand still for people who have switched them off in the system's settings; a change counts from the next
    /// picture, or the next time that the view is on screen.
    func setFrameClock(isRunning: Bool) {
      clock.isRunning = isRunning && AccessibilitySettings.animatedImagesEnabled
    }
  }

  /// A place of a view that shows a picture.
  @MainActor
  protocol ViewPlace {
    /// The mode in which the view resizes a picture to its size.
    func mode(in view: NSView) -> ScaleMode
    /// Shows an image in the place.
    func setImage(_ image: NSImage?, of view: NSView)
  }

  extension ViewDisplays {
    /// The binding of a view's place, made when it is first needed.
    static func images(of view: NSView, named name: String, _ place: () -> some ViewPlace) -> ImageBinding {
      of(view, watcher: { ViewWatcher(in: view) }).images(named: name) { ViewDisplay(view, place()) }
    }
  }
#endif
