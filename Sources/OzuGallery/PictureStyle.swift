#if GTK
  import CGTK
  import Ozu

  /// What the preferences say of how pictures look.
  public struct PictureStyle: Equatable, Sendable {
    /// How pictures fill their cells.
    public var mode = ScaleMode.aspectFill
    /// Whether cells have round corners. That is the cell's own matter: GTK clips what it draws.
    public var hasRoundedCorners = false
    /// Whether colours are left out.
    public var isGrey = false
    /// Whether pictures are blurred.
    public var isBlurred = false

    /// Makes the style of a new gallery.
    public init() {}

    /// The same, in GTK's word.
    var contentFit: GtkContentFit {
      switch mode {
      case .fill: GTK_CONTENT_FIT_FILL
      case .aspectFill: GTK_CONTENT_FIT_COVER
      default: GTK_CONTENT_FIT_CONTAIN
      }
    }

    /// What to ask for; size and mode are for the cell to say.
    func request(for item: PictureItem) -> ImageRequest {
      var processors: [any ImageProcessing] = []
      if isGrey { processors.append(.grayscale) }
      if isBlurred { processors.append(.gaussianBlur(radius: 4)) }
      return ImageRequest(item.source, processors: processors, priority: .veryHigh)
    }
  }
#endif
