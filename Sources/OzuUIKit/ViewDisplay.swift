#if canImport(UIKit)
  import Accessibility
  import Ozu
  import UIKit

  /// Shows the pictures of a binding in a view of UIKit. The binding decides what is shown; this object tells it about layout
  /// and window, and draws. It belongs to its view.
  @MainActor
  final class ViewDisplay: ViewDisplaying {
    private(set) lazy var images = ImageBinding(self)

    private weak var view: UIView?
    private let place: any ViewPlace
    private lazy var clock = view.map { view in
      FrameClock(view) { [weak self] in self?.images.advance(to: $0) }
    }

    init(_ view: UIView, _ place: some ViewPlace) {
      self.view = view
      self.place = place
      ApplicationObserver.follow(images.pipeline)
    }

    var displaySize: DisplaySize? {
      guard let size = view.map(place.size) else { return nil }
      return DisplaySize(Double(size.width), Double(size.height))
    }

    var displayScale: Double { Double(view?.traitCollection.displayScale ?? 1) }

    var displayMode: ScaleMode { view.map(place.mode) ?? .none }

    func show(_ content: DisplayContent, transition: DisplayTransition) {
      guard let view else { return }
      let image = content.uiImage(scale: displayScale)
      guard case .fade(let duration) = transition, view.window != nil else {
        place.setImage(image, of: view)
        return
      }
      UIView.transition(
        with: view, duration: duration / .seconds(1),
        options: [.transitionCrossDissolve, .allowUserInteraction],
        animations: { [place] in place.setImage(image, of: view) })
    }

    /// Animations stand still for people who have switched them off in the system's settings; a change counts from the next
    /// picture, or the next time that the view is on screen.
    func setFrameClock(isRunning: Bool) {
      clock?.isRunning = isRunning && AccessibilitySettings.animatedImagesEnabled
    }
  }

  /// A place of a view that shows a picture.
  @MainActor
  protocol ViewPlace {
    /// The size of the place, in points.
    func size(in view: UIView) -> CGSize
    /// The mode in which the view resizes a picture to that size.
    func mode(in view: UIView) -> ScaleMode
    /// Shows an image in the place.
    func setImage(_ image: UIImage?, of view: UIView)
  }

  extension ViewDisplays {
    /// The binding of a view's place, made when it is first needed.
    static func images(of view: UIView, named name: String, _ place: () -> some ViewPlace) -> ImageBinding {
      of(view, watcher: { ViewWatcher(in: view) }).images(named: name) { ViewDisplay(view, place()) }
    }
  }
#endif
