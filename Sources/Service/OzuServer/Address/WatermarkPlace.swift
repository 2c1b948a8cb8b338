import OzuBase
public import OzuImaging

/// The picture that addresses may have drawn over their results.
public struct WatermarkPicture: Sendable {
  /// The picture at its own size.
  public let mark: Bitmap
  /// The picture in more pixels, for an address that wants it larger than that: of a drawing, which is sharp at any size.
  /// Default: `nil`, the picture itself.
  public var enlarged: Bitmap?
  /// The opacity that those of addresses are fractions of, from 0 to 1. Default: 1.
  public var opacity = 1.0

  let key: String

  /// Makes a watermark of a picture.
  public init(_ mark: Bitmap) {
    self.mark = mark
    key = Watermark(mark).identifier
  }
}

/// Where an address has the watermark, and how much of it is seen: the option `watermark`.
struct WatermarkPlace: Hashable, Sendable {
  enum Position: Hashable, Sendable {
    /// Once, at an anchor with an offset.
    case at(ImageAnchor)
    /// Over the whole picture, with a tile in the middle.
    case tiled
  }

  /// A fraction of the watermark's own opacity.
  var opacity: Double
  var position = Position.at(.center)
  /// The offset, or between tiles the distance: in pixels, or between -1 and 1 as a fraction of the picture's side.
  var x = 0.0
  var y = 0.0
  /// The size as a fraction of the picture's; 0 for its own.
  var scale = 0.0

  /// - Returns: `nil` for an opacity of 0: nothing is drawn.
  init?(_ option: AddressOption) throws(AddressRefusal) {
    try option.check(atMost: 5)
    guard let opacity = try option.number(0, in: 0...1) else { throw option.refusal("an opacity is needed") }
    self.opacity = opacity
    if let word = option[1] {
      if word == "re" {
        position = .tiled
      } else if let anchor = ImageOptions.anchors.first(where: { $0.word == word })?.anchor {
        position = .at(anchor)
      } else {
        throw option.refusal(
          word == "ch"
            ? "this position of imgproxy Pro is not supported" : "there is no position \"\(word)\"")
      }
    }
    x = try option.number(2, in: -65_535...65_535) ?? 0
    y = try option.number(3, in: -65_535...65_535) ?? 0
    scale = try option.number(4, in: 0...100) ?? 0
    if opacity == 0 { return nil }
  }

  var segment: String {
    let word =
      switch position {
      case .at(let anchor): ImageOptions.anchors.first { $0.anchor == anchor }!.word
      case .tiled: "re"
      }
    return (["wm:\(opacity.addressText)", word] + [x, y, scale].map(\.addressText)).joined(separator: ":")
  }
}

struct PlacedWatermark: ImageProcessing {
  let picture: WatermarkPicture
  let place: WatermarkPlace
  /// What offsets in pixels are scaled by.
  let reached: ReachedDensity

  var identifier: String {
    "placed-watermark(\(picture.key),\(picture.enlarged?.size.description ?? "-"),\(picture.opacity),"
      + "\(place.segment),\(reached.identifier))"
  }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    let mark = try mark(for: bitmap.size, context)
    return place.drawn(
      mark, opacity: picture.opacity, on: bitmap, density: reached.value(for: bitmap.size), context.pool)
  }

  /// The mark in the pixels that it has on a picture.
  private func mark(for size: PixelSize, _ context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    guard let box = place.box(in: size) else { return BGRABitmap(picture.mark) }
    let source = picture.enlarged ?? picture.mark
    return try Resize(box, mode: .aspectFit, allowsUpscaling: true).process(
      BGRABitmap(source), context: context)
  }
}

extension WatermarkPlace {
  /// The size that a mark is fitted into on a picture; `nil` for its own.
  func box(in size: PixelSize) -> PixelSize? {
    guard scale > 0 else { return nil }
    func side(_ length: Int) -> Int { min(65_535, max(1, length.scaled(by: scale))) }
    return PixelSize(side(size.width), side(size.height))
  }

  /// The picture with a mark over it.
  ///
  /// - Parameters:
  ///   - opacity: the opacity of the mark, of which the place has a part.
  ///   - density: what offsets in pixels are scaled by.
  func drawn(
    _ mark: BGRABitmap, opacity whole: Double, on bitmap: BGRABitmap, density: Double, _ pool: PixelBufferPool
  ) -> BGRABitmap {
    let opacity = UInt8(clamping: Int(clamping: opacity * whole * 255, rounded: .toNearestOrAwayFromZero))
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    let (x, y) = (self.x.offset(in: width, density), self.y.offset(in: height, density))
    switch position {
    case .at(let anchor):
      let corner = anchor.origin(of: mark.size, in: bitmap.size, x: x, y: y)
      return bitmap.drawing(mark, x: corner.x, y: corner.y, opacity: opacity, pool: pool)
    case .tiled:
      // One of them is in the middle. A distance below 0 lets them overlap; they are drawn once, cut.
      let gap = PixelSize(
        max(1 - mark.size.width, min(x, 1 << 20)), max(1 - mark.size.height, min(y, 1 << 20)))
      let tile = PixelSize(mark.size.width + min(0, gap.width), mark.size.height + min(0, gap.height))
      let corner = ImageAnchor.center.origin(of: tile, in: bitmap.size)
      return bitmap.drawing(mark, x: corner.x, y: corner.y, gap: gap, opacity: opacity, pool: pool)
    }
  }
}
