/// The content that a view must show.
public enum DisplayContent: Sendable {
  /// Nothing: the view is emptied.
  case nothing
  /// A placeholder until the picture is available.
  case placeholder(Picture)
  /// A preview of the picture while the rest is loading.
  case preview(Picture)
  /// The picture.
  case picture(Picture)
  /// A later frame of the current picture, with the picture's scale and header: views show it in the same size and colours.
  case frame(Picture)
  /// The replacement for a picture that could not be loaded.
  case failure(Picture)
  /// An image of the toolkit: a placeholder, or the replacement for a picture that could not be loaded.
  case toolkitImage(ToolkitImage)

  /// The pixels to show; `nil` for nothing, and for an image of the toolkit.
  public var bitmap: Bitmap? { shownPicture?.bitmap }

  /// The same with its profile and its scale.
  var shownPicture: Picture? {
    switch self {
    case .nothing, .toolkitImage: nil
    case .placeholder(let picture), .preview(let picture), .picture(let picture), .frame(let picture),
      .failure(let picture):
      picture
    }
  }
}

/// How a view changes from its current content to the new one.
public enum DisplayTransition: Hashable, Sendable {
  /// Without animation.
  case none
  /// By a cross-fade of this duration.
  case fade(Duration)

  /// A fade of a tenth of a second.
  public static let standard = DisplayTransition.fade(.milliseconds(100))
}

/// The phase of a view's picture.
public enum DisplayPhase: Sendable {
  /// The view has no request.
  case empty
  /// The view has no size yet. The load begins when it is laid out.
  case waitingForLayout
  /// The picture is loading.
  case loading
  /// The picture is available: it is shown, or was given to the closure that shows it (`DisplayHandlers.success`).
  case shown
  /// The picture could not be loaded.
  case failed(ImageError)
  /// The load was cancelled. It begins again when the view reappears.
  case cancelled
}

/// An image of a view's toolkit, such as a `UIImage`. A view shows it as it is: a symbol keeps its tint, and an asset its
/// variant for dark appearance. The modules for toolkits make it.
public struct ToolkitImage: Sendable {
  package let image: any Sendable

  package init(_ image: any Sendable) { self.image = image }
}

/// An image that a view can show in place of a picture that could not be loaded: a `Picture`, `UIImage` or `NSImage`.
public protocol FailureImage {
  /// The content of the view.
  var ozuContent: DisplayContent { get }
}

extension Picture: FailureImage {
  /// The picture as the content of a view.
  public var ozuContent: DisplayContent { .failure(self) }
}
