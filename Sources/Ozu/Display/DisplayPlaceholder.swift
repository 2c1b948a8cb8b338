/// What a view shows until its picture is there.
public enum DisplayPlaceholder: Sendable {
  /// A picture.
  case picture(Picture)
  /// The blur that a BlurHash stands for, in the proportions of the view.
  case blurHash(BlurHash)
  /// The blur that a ThumbHash stands for, in its own proportions.
  case thumbHash(ThumbHash)
  /// One colour in the proportions of the view: the dominant colour of the picture, where an app knows it.
  case color(Pixel)
  /// The largest picture of the same source that memory has at whatever size, as a page shows the thumbnail it was
  /// opened from; something else where there is none.
  indirect case otherSize(orElse: DisplayPlaceholder = .nothing)
  /// Nothing: what the view showed before goes away.
  case nothing

  /// The longer side of a blur, in pixels: views draw it larger, and it has no detail to lose.
  static let blurSide = 32

  /// The placeholder of a BlurHash text; `nil` when the text is none.
  public static func blurHash(text: String) -> DisplayPlaceholder? {
    BlurHash(text).map(DisplayPlaceholder.blurHash)
  }

  /// The placeholder of the bytes of a ThumbHash; `nil` when they are none.
  public static func thumbHash(bytes: [UInt8]) -> DisplayPlaceholder? {
    ThumbHash(bytes).map(DisplayPlaceholder.thumbHash)
  }

  /// What is shown in a view of a size.
  ///
  /// - Parameter otherSize: looks for another picture of the source.
  func content(in size: DisplaySize?, otherSize: () -> Picture? = { nil }) -> DisplayContent {
    switch self {
    case .otherSize(let substitute):
      otherSize().map(DisplayContent.placeholder) ?? substitute.content(in: size, otherSize: otherSize)
    case .nothing: .nothing
    case .picture(let picture): .placeholder(picture)
    case .thumbHash(let hash): .placeholder(Picture(placeholder: hash))
    case .blurHash(let hash): .placeholder(Picture(placeholder: hash, size: Self.blurSize(in: size)))
    case .color(let color):
      .placeholder(
        Picture(Bitmap(size: Self.blurSize(in: size), isOpaque: color.alpha == 255) { _, _ in color }))
    }
  }

  /// The proportions of the view, with a longer side of 32 pixels.
  static func blurSize(in size: DisplaySize?) -> PixelSize {
    guard let size, size.width.isFinite, size.height.isFinite, size.width > 0, size.height > 0 else {
      return PixelSize(blurSide, blurSide)
    }
    let longest = max(size.width, size.height)
    func side(_ points: Double) -> Int { max(1, Int(points / longest * Double(blurSide))) }
    return PixelSize(side(size.width), side(size.height))
  }
}
