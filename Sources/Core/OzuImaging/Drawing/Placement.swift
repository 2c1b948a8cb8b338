/// Where a picture or a label is drawn on another picture, and how it is mixed with it.
///
/// ```swift
/// var place = Placement(x: -24, y: -24, anchor: .bottomRight, size: PixelSize(width: 96, height: 96))
/// place.opacity = 0.8
/// ```
///
/// Decoding needs no field: each that is missing has its default.
public struct Placement: Hashable, Sendable {
  /// The distance to the right from where `anchor` alone would place it, in pixels. Whole numbers keep its pixels as they are.
  public var x: Double
  /// The distance down from where `anchor` alone would place it, in pixels.
  public var y: Double
  /// The place in the picture below that `x` and `y` count from: at a corner the corners meet, at an edge the middles
  /// of the edges. The top left corner by default.
  public var anchor: ImageAnchor
  /// The size in pixels; `nil` (the default) for its own. Proportions are not kept.
  public var size: PixelSize?
  /// The angle in degrees, clockwise around the centre; 0 by default.
  public var rotation: Double
  /// From 0, invisible, to 1, the default.
  public var opacity: Double
  /// How colours are mixed; `normal` by default.
  public var blendMode: BlendMode
  /// The values that are mixed: the stored ones (the default, as in nearly all programs) or amounts of light.
  public var light: ResamplingLight
  /// The distance between two copies, to the right and down, if the picture is repeated in all directions; `nil`
  /// (the default) for one copy.
  public var tileGap: PixelSize?

  /// Makes a placement.
  public init(
    x: Double = 0, y: Double = 0, anchor: ImageAnchor = .topLeft, size: PixelSize? = nil,
    rotation: Double = 0,
    opacity: Double = 1, blendMode: BlendMode = .normal, light: ResamplingLight = .asStored,
    tileGap: PixelSize? = nil
  ) {
    self.x = x
    self.y = y
    self.anchor = anchor
    self.size = size
    self.rotation = rotation
    self.opacity = opacity
    self.blendMode = blendMode
    self.light = light
    self.tileGap = tileGap
  }

  /// The reason why nothing can be drawn in this way, for people; `nil` if there is none.
  var flaw: String? {
    if !x.isFinite || !y.isFinite { return "its place must be a number of pixels" }
    if !rotation.isFinite { return "the angle must be a number of degrees" }
    if !(0...1).contains(opacity) { return "the opacity must be from 0 to 1" }
    if let size, size.isEmpty { return "its size must be at least one pixel" }
    if let tileGap, !(0...(1 << 20)).contains(tileGap.width) || !(0...(1 << 20)).contains(tileGap.height) {
      return "the distance between tiles must be from 0 to \(1 << 20) pixels"
    }
    return nil
  }

  /// All values as text; equal only for equal placements.
  var identifier: String {
    let texts: [String] = [
      "\(x)", "\(y)", anchor.rawValue, size.map { "\($0)" } ?? "", "\(rotation)", "\(opacity)",
      blendMode.rawValue, light.rawValue, tileGap.map { "\($0)" } ?? "",
    ]
    return texts.joined(separator: ",")
  }

  /// A picture in the middle of a frame at this place of a surface.
  func layer(
    _ picture: BGRABitmap, frame: PixelSize, on size: PixelSize, pool: PixelBufferPool
  ) -> PictureLayer {
    let corner = anchor.origin(of: frame, in: size)
    // Whole pixels, so that the picture is not blurred.
    let left = corner.x + (frame.width - picture.size.width) / 2
    let top = corner.y + (frame.height - picture.size.height) / 2
    return PictureLayer(
      picture, x: Double(left) + x, y: Double(top) + y, rotation: rotation,
      opacity: UInt8(max(0, min(opacity, 1)) * 255 + 0.5), mode: blendMode, light: light, gap: tileGap,
      pool: pool)
  }

  /// A picture, resized to the size of this placement, on a surface.
  func layer(
    resizing picture: BGRABitmap, on size: PixelSize, _ context: ProcessingContext
  ) throws(ProcessingError) -> PictureLayer {
    var picture = picture
    if let own = self.size, own != picture.size {
      picture = try Resize(own, mode: .fill, allowsUpscaling: true).process(picture, context: context)
    }
    return layer(picture, frame: picture.size, on: size, pool: context.pool)
  }
}

extension Placement: Codable {
  private enum CodingKeys: String, CodingKey {
    case x, y, anchor, size, rotation, opacity, blendMode, light, tileGap
  }

  /// Reads the fields that are there.
  ///
  /// - Throws: `DecodingError` for a field of another type.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      x: try fields.decodeIfPresent(Double.self, forKey: .x) ?? 0,
      y: try fields.decodeIfPresent(Double.self, forKey: .y) ?? 0,
      anchor: try fields.decodeIfPresent(ImageAnchor.self, forKey: .anchor) ?? .topLeft,
      size: try fields.decodeIfPresent(PixelSize.self, forKey: .size),
      rotation: try fields.decodeIfPresent(Double.self, forKey: .rotation) ?? 0,
      opacity: try fields.decodeIfPresent(Double.self, forKey: .opacity) ?? 1,
      blendMode: try fields.decodeIfPresent(BlendMode.self, forKey: .blendMode) ?? .normal,
      light: try fields.decodeIfPresent(ResamplingLight.self, forKey: .light) ?? .asStored,
      tileGap: try fields.decodeIfPresent(PixelSize.self, forKey: .tileGap))
  }
}
