#if GTK
  import Ozu

  /// The preferences about the appearance of pictures.
  public struct PictureStyle: Equatable, Sendable {
    /// The mode in which pictures fill their cells.
    public var mode = ScaleMode.aspectFill
    /// The size in which pictures of the grid are made.
    public var size = Size.cell
    /// Whether cells have round corners. GTK clips them; the pictures are the same.
    public var hasRoundedCorners = false
    /// Whether names are shown below the pictures.
    public var showsNames = false
    /// Whether pictures are shown in shades of grey.
    public var isGrey = false
    /// Whether pictures are blurred.
    public var isBlurred = false

    /// A size of the grid's pictures, each with a cache format.
    public enum Size: String, CaseIterable, Sendable {
      /// The size of the cell.
      case cell
      /// 64 pixels, for little memory.
      case small
      /// 512 pixels, enough for cells of every size.
      case large
    }

    /// Makes the style of a new gallery.
    public init() {}

    /// The format of the grid's cells; `nil` for one of the cell's own size.
    var format: CacheFormat? {
      switch size {
      case .cell: nil
      case .small: format(side: 64)
      case .large: format(side: 512)
      }
    }

    private func format(side: Int) -> CacheFormat {
      CacheFormat(
        "gallery-\(side)-\(mode.rawValue)", size: PixelSize(side, side), mode: mode, compressionQuality: 0.8,
        diskCapacity: 64 << 20
      ) { $0.crops = false }
    }

    /// The request for a picture. The cell adds size and mode.
    func request(for item: PictureItem) -> ImageRequest {
      var processors: [any ImageProcessing] = []
      if isGrey { processors.append(.grayscale) }
      if isBlurred { processors.append(.gaussianBlur(radius: 4)) }
      return ImageRequest(item.source, processors: processors, priority: .veryHigh)
    }
  }
#endif
