/// Makes parts of the picture unreadable: faces, number plates, names.
///
/// Use `fill` for text and numbers: nothing of the pixels is left in the result. Blocks keep the mean colours, from which letters
/// can be guessed that are larger than a block.
public struct Redact: ImageProcessing, Hashable {
  /// What stands in place of the parts.
  public enum Style: Hashable, Sendable {
    /// A colour. It replaces what was there, also where it is transparent.
    case fill(ColorValue)
    /// Square blocks with the mean colour of their pixels; their side in pixels.
    case pixelate(blockSide: Int)
  }

  /// The parts, in pixels of the picture that the processor is given. What lies outside the picture is left out.
  public let areas: [PixelRectangle]
  /// What stands in their place; black by default.
  public let style: Style

  /// Makes the processor.
  public init(areas: [PixelRectangle], style: Style = .fill(.black)) {
    self.areas = areas
    self.style = style
  }

  /// The kind of processor with all its parameters.
  public var identifier: String {
    let places = areas.map { "\($0.x),\($0.y),\($0.size)" }.joined(separator: ";")
    return switch style {
    case .fill(let color): "redact(\(places),\(color.identifier))"
    case .pixelate(let side): "redact(\(places),\(side))"
    }
  }

  /// Replaces the parts.
  ///
  /// - Throws: `invalidParameters` for an area with a negative side, and for blocks of less than two pixels, which would hide nothing.
  public func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    guard areas.allSatisfy({ $0.size.width >= 0 && $0.size.height >= 0 }) else {
      throw .invalidParameters(identifier, reason: "the sides of an area must be zero or more")
    }
    if case .pixelate(let side) = style, side < 2 {
      throw .invalidParameters(identifier, reason: "blocks must have at least two pixels a side")
    }
    let parts = areas.map { $0.clamped(to: bitmap.size) }.filter { !$0.size.isEmpty }
    guard !parts.isEmpty else { return bitmap }
    var isOpaque = bitmap.isOpaque
    if case .fill(let color) = style { isOpaque = isOpaque && color.alpha == 255 }
    return try BGRABitmap.drawing(
      on: bitmap, size: bitmap.size, isOpaque: isOpaque, colorSpace: bitmap.colorSpace, pool: context.pool
    ) { (surface) throws(ProcessingError) in
      for part in parts {
        let columns = part.x..<part.x + part.size.width
        switch style {
        case .fill(let color):
          let pixel = color.pixel
          for y in part.y..<part.y + part.size.height {
            surface.edit(y, columns) { $0.update(repeating: pixel) }
          }
        case .pixelate(let side):
          let blocks = try Pixelate(blockSide: side).process(
            bitmap.cropped(to: part, pool: context.pool), context: context)
          blocks.withPixels { pixels, rows in
            for y in 0..<part.size.height {
              let source = pixels.extracting(rows[y])
              surface.edit(part.y + y, columns) { target in
                for x in target.indices { target[x] = source[x] }
              }
            }
          }
        }
      }
    }
  }
}

extension ImageProcessing where Self == Redact {
  /// Makes parts of the picture unreadable.
  public static func redact(areas: [PixelRectangle], style: Redact.Style = .fill(.black)) -> Self {
    Redact(areas: areas, style: style)
  }
}
