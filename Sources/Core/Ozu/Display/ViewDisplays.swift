#if canImport(ObjectiveC)
  import ObjectiveC

  /// Shows the pictures of a binding in one place of a view. The adapters for Apple's toolkits implement it.
  @MainActor
  package protocol ViewDisplaying: ImageDisplaying {
    /// The binding of the place.
    var images: ImageBinding { get }
    /// Called after each layout of the view, before the binding hears of it.
    func viewDidLayout()
  }

  /// Tells about layout and visibility of a view. The adapters implement it as an invisible subview.
  @MainActor
  package protocol ViewWatching: AnyObject {
    /// Called after each layout.
    var onLayout: () -> Void { get set }
    /// Called when the visibility may have changed, with whether the view is visible.
    var onVisibilityChange: (Bool) -> Void { get set }
  }

  /// The displays of one view by the names of their places, and the watcher that they share.
  ///
  /// The view holds them as an associated object, so they live as long as the view.
  @MainActor
  package final class ViewDisplays {
    /// Its address is the key of the associated object.
    private static let key = Key()

    private var displays: [String: any ViewDisplaying] = [:]
    private let watcher: any ViewWatching

    private init(_ watcher: any ViewWatching) {
      self.watcher = watcher
      watcher.onLayout = { [weak self] in
        self?.tell {
          $0.viewDidLayout()
          $0.images.layoutDidChange()
        }
      }
      watcher.onVisibilityChange = { [weak self] isVisible in
        self?.tell { isVisible ? $0.images.viewDidAppear() : $0.images.viewDidDisappear() }
      }
    }

    /// The displays of a view.
    ///
    /// - Parameter watcher: called when the view has no displays yet.
    package static func of(_ view: AnyObject, watcher: () -> any ViewWatching) -> ViewDisplays {
      let key = Unmanaged.passUnretained(key).toOpaque()
      if let known = objc_getAssociatedObject(view, key) as? ViewDisplays { return known }
      let displays = ViewDisplays(watcher())
      objc_setAssociatedObject(view, key, displays, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
      return displays
    }

    /// The binding of a place.
    ///
    /// - Parameter display: called when the place has no display yet.
    package func images(named name: String, display: () -> any ViewDisplaying) -> ImageBinding {
      if let known = displays[name] { return known.images }
      let display = display()
      displays[name] = display
      return display.images
    }

    private func tell(_ event: (any ViewDisplaying) -> Void) {
      for display in displays.values { event(display) }
    }

    /// An object that is needed only for its address.
    private final class Key: Sendable {}
  }

  /// A place of a view that shows pictures: what `view.ozu` is (`imageView.ozu.setImage(from: url)`), or one of several, such as
  /// the background of a button's state.
  @MainActor
  public struct ImagePlace: ImagePresenting {
    /// The binding of the place: it loads and shows pictures.
    public let images: ImageBinding

    package init(images: ImageBinding) { self.images = images }
  }

  /// A view that had the members of `ozu` itself, before they stood behind this prefix.
  ///
  /// Its extension has the old names, and not the view, so that a subclass may have members with these names.
  @MainActor
  public protocol UnprefixedImagePresenting: ImagePresenting {
    /// The type of `ozu`.
    associatedtype Place: ImagePresenting
    /// Loads and shows pictures.
    var ozu: Place { get }
  }

  extension UnprefixedImagePresenting {
    /// The binding of the view.
    @available(*, deprecated, renamed: "ozu.images")
    public var images: ImageBinding { ozu.images }
  }
#endif
