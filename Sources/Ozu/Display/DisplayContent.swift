/// What a view is told to show.
public enum DisplayContent: Sendable {
  /// Nothing: the view is emptied.
  case nothing
  /// What stands in for a picture until it is there.
  case placeholder(Picture)
  /// A part of the picture, while the rest is loading.
  case preview(Picture)
  /// The picture.
  case picture(Picture)
  /// A later frame of the picture that is shown.
  case frame(Bitmap)
  /// What stands in for a picture that could not be loaded.
  case failure(Picture)

  /// The pixels to show; `nil` for nothing.
  public var bitmap: Bitmap? {
    switch self {
    case .nothing: nil
    case .placeholder(let picture), .preview(let picture), .picture(let picture), .failure(let picture):
      picture.bitmap
    case .frame(let bitmap): bitmap
    }
  }
}

/// How a view goes from what it shows to what it is told to show.
public enum DisplayTransition: Hashable, Sendable {
  /// At once.
  case none
  /// By blending one into the other for so long.
  case fade(Duration)

  /// A fade of a tenth of a second.
  public static let standard = DisplayTransition.fade(.milliseconds(100))
}

/// How far a view has come with the picture it was given.
public enum DisplayPhase: Sendable {
  /// It was given none.
  case empty
  /// The view has no size yet: the load begins when it is laid out.
  case waitingForLayout
  /// The picture is loading.
  case loading
  /// The picture is there: shown, or handed to the closure that took over the setting.
  case shown
  /// The picture could not be loaded.
  case failed(ImageError)
  /// The load was called off; it begins again when the view reappears.
  case cancelled
}
