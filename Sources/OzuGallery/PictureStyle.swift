#if GTK
  import CGTK
  import Ozu

  /// What the preferences say of how pictures look.
  public struct PictureStyle: Equatable, Sendable {
    /// How pictures fill their cells.
    public var mode = ScaleMode.aspectFill
    /// How large pictures of the grid are made.
    public var size = Size.cell
    /// Whether cells have round corners. That is the cell's own matter: GTK clips what it draws.
    public var hasRoundedCorners = false
    /// Whether names stand below the pictures.
    public var showsNames = false
    /// Whether colours are left out.
    public var isGrey = false
    /// Whether pictures are blurred.
    public var isBlurred = false

    /// A size of the grid's pictures: a cache format to each.
    public enum Size: String, CaseIterable, Sendable {
      /// That of the cell, whatever it is.
      case cell
      /// 64 pixels, for little memory.
      case small
      /// 512 pixels, which serve cells of every size.
      case large
    }

    /// Makes the style of a new gallery.
    public init() {}

    /// The format of the grid's cells; `nil` for one that is made of the cell's own size.
    var format: CacheFormat? {
      switch size {
      case .cell: nil
      case .small: format(side: 64)
      case .large: format(side: 512)
      }
    }

    private func format(side: Int) -> CacheFormat {
      CacheFormat(
        "gallery-\(side)-\(mode.rawValue)", size: PixelSize(side, side), mode: mode, crops: false,
        compressionQuality: 0.8, diskCapacity: 64 << 20)
    }

    /// The mode, in GTK's word.
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
