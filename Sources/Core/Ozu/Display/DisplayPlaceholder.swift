import OzuBase

/// The content of a view until its picture is available.
public enum DisplayPlaceholder: Sendable {
  /// A picture.
  case picture(Picture)
  /// An image of the view's toolkit, as `.image(…)` of OzuUIKit and OzuAppKit makes it.
  case toolkitImage(ToolkitImage)
  /// The blur of a BlurHash, in the proportions of the view.
  case blurHash(BlurHash)
  /// The blur of a ThumbHash, in its own proportions.
  case thumbHash(ThumbHash)
  /// One colour in the proportions of the view, for example the dominant colour of the picture if the app knows it.
  case color(Pixel)
  /// The largest picture of the same source in memory, at any size; for example the thumbnail from which a page was
  /// opened. Another placeholder if there is none.
  indirect case otherSize(orElse: DisplayPlaceholder = .nothing)
  /// Nothing: the view is emptied.
  case nothing
  /// The content that the view has already, although it belongs to another source: for views that must never be empty,
  /// such as a slide show. It is removed if the picture cannot be loaded, and for `nil` in place of a source.
  case unchanged

  /// The longer side of a blur, in pixels. Views draw it larger; a blur has no detail to lose.
  static let blurSide = 32

  /// The placeholder of a BlurHash text; `nil` if the text is invalid.
  public static func blurHash(text: String) -> DisplayPlaceholder? {
    BlurHash(text).map(DisplayPlaceholder.blurHash)
  }

  /// The placeholder of the bytes of a ThumbHash; `nil` if they are invalid.
  public static func thumbHash(bytes: [UInt8]) -> DisplayPlaceholder? {
    ThumbHash(bytes).map(DisplayPlaceholder.thumbHash)
  }

  /// The content for a view of a size; `nil` to leave the view unchanged.
  ///
  /// - Parameter otherSize: finds another picture of the source.
  func content(in size: DisplaySize?, otherSize: () -> Picture? = { nil }) -> DisplayContent? {
    switch self {
    case .otherSize(let substitute):
      otherSize().map(DisplayContent.placeholder) ?? substitute.content(in: size, otherSize: otherSize)
    case .nothing: DisplayContent.nothing
    case .unchanged: nil
    case .picture(let picture): .placeholder(picture)
    case .toolkitImage(let image): .toolkitImage(image)
    case .thumbHash(let hash): .placeholder(Picture(placeholder: hash))
    case .blurHash(let hash): .placeholder(Picture(placeholder: hash, size: Self.blurSize(in: size)))
    case .color(let color):
      .placeholder(
        Picture(Bitmap(size: Self.blurSize(in: size), isOpaque: color.alpha == 255) { _, _ in color }))
    }
  }

  /// The image of a toolkit that is shown where memory has no picture of the source.
  package var ownImage: ToolkitImage? {
    switch self {
    case .toolkitImage(let image): image
    case .otherSize(let substitute): substitute.ownImage
    default: nil
    }
  }

  /// Whether it may leave the view unchanged.
  var mayKeep: Bool {
    switch self {
    case .unchanged: true
    case .otherSize(let substitute): substitute.mayKeep
    default: false
    }
  }

  /// The proportions of the view, with a longer side of 32 pixels.
  static func blurSize(in size: DisplaySize?) -> PixelSize {
    guard let size, size.width.isFinite, size.height.isFinite, size.width > 0, size.height > 0 else {
      return PixelSize(blurSide, blurSide)
    }
    let longest = max(size.width, size.height)
    func side(_ points: Double) -> Int { max(1, Int(clamping: points / longest * Double(blurSide))) }
    return PixelSize(side(size.width), side(size.height))
  }
}
