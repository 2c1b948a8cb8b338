import OzuImaging

struct GIFImage {
  /// The indices of the region, row by row.
  let indices: [UInt8]
  let transparentIndex: Int?
  /// The colours of this image; `nil` if it uses the shared colours.
  let ownColors: ColorTable?
  let indexBitCount: Int

  /// Chooses colours for the pixels of a region in which `canvas` differs from `base`: the exact colours if
  /// possible, in the shared table if they fit into it.
  ///
  /// - Parameters:
  ///   - canvas: its pixels are opaque or clear. Pixels of the region that are clear in it are clear in `base` too.
  ///   - base: the canvas that the image is painted on.
  ///   - clears: whether the region is cleared afterwards. Some readers clear to a colour unless the image has a
  ///     transparent index, so one is added if there is room.
  init(
    _ canvas: BGRABitmap, over base: BGRABitmap, region: PixelRectangle,
    clears: Bool, sharing shared: inout ColorTable, effort: EncodingOptions.Effort
  ) {
    let pixels = GIFPaintedPixels(canvas, over: base, region: region)
    var own = ColorTable()
    let isExact =
      pixels.insertColors(into: &own)
      && own.count + (pixels.hasHoles ? 1 : 0) <= ColorTable.limit
    let isTransparent = pixels.hasHoles || clears && !(isExact && own.count == ColorTable.limit)
    if isExact, shared.merge(own, needsTransparency: isTransparent) {
      ownColors = nil
      (transparentIndex, indexBitCount) = (isTransparent ? shared.transparentIndex : nil, shared.bitCount)
      indices = pixels.indices(in: shared)
      return
    }
    if isExact {
      if isTransparent { _ = own.insertTransparency() }
      indices = pixels.indices(in: own)
    } else {
      let colors = ColorQuantizer.colors(
        of: pixels, count: ColorTable.limit - (isTransparent ? 1 : 0), effort: effort)
      own = ColorTable()
      for color in colors { _ = own.insert(color) }
      let palette = own.colors
      if isTransparent { _ = own.insertTransparency() }
      indices = ErrorDiffusion.indices(
        of: pixels, palette: palette, transparentIndex: UInt8(own.transparentIndex ?? 0))
    }
    (ownColors, transparentIndex, indexBitCount) = (own, own.transparentIndex, own.bitCount)
  }
}

/// The pixels of a region that a frame paints: colours, and holes where the canvas stays as it is.
struct GIFPaintedPixels {
  static let hole = UInt32.max

  let size: PixelSize
  /// The colours row by row, or `hole`.
  let colors: [UInt32]
  let hasHoles: Bool
  /// Whether some colour has transparency in its high byte.
  let hasTranslucency: Bool

  /// All pixels of a picture with the keys of `ColorTable`; those that are wholly transparent are holes.
  init(_ picture: BGRABitmap) {
    var colors: [UInt32] = []
    colors.reserveCapacity(picture.size.pixelCount)
    var (hasHoles, transparency) = (false, UInt32(0))
    picture.withPixels { pixels, rows in
      for y in 0..<picture.size.height {
        for place in rows[y] {
          let pixel = pixels[place]
          let isHole = pixel.alpha == 0 && !picture.isOpaque
          let color = isHole ? Self.hole : UInt32(255 - pixel.alpha) << 24 | pixel.color
          colors.append(color)
          if isHole { hasHoles = true } else { transparency |= color >> 24 }
        }
      }
    }
    (size, self.colors, self.hasHoles) = (picture.size, colors, hasHoles)
    hasTranslucency = transparency != 0
  }

  init(_ canvas: BGRABitmap, over base: BGRABitmap, region: PixelRectangle) {
    let size = region.size
    var colors = [UInt32](repeating: Self.hole, count: size.pixelCount)
    var paintedCount = 0
    let columns = region.x..<region.x + size.width
    canvas.withPixels { pixels, rows in
      base.withPixels { basePixels, baseRows in
        for line in 0..<size.height {
          let row = pixels.extracting(rows[region.y + line]).extracting(columns)
          let below = basePixels.extracting(baseRows[region.y + line]).extracting(columns)
          for x in 0..<size.width {
            let pixel = row[x]
            guard pixel.alpha != 0, pixel != below[x] else { continue }
            colors[line * size.width + x] = pixel.color
            paintedCount += 1
          }
        }
      }
    }
    self.size = size
    self.colors = colors
    hasHoles = paintedCount < colors.count
    hasTranslucency = false
  }

  /// Adds all colours to a table; `false` if they do not fit.
  func insertColors(into table: inout ColorTable) -> Bool {
    var previous = Self.hole
    for color in colors where color != previous && color != Self.hole {
      guard table.insert(color) else { return false }
      previous = color
    }
    return true
  }

  /// The indices of the pixels. The table must contain all their colours.
  func indices(in table: ColorTable) -> [UInt8] {
    let transparent = UInt8(table.transparentIndex ?? 0)
    var indices = [UInt8](repeating: transparent, count: colors.count)
    var (previous, previousIndex) = (Self.hole, transparent)
    for place in colors.indices {
      let color = colors[place]
      if color != previous {
        (previous, previousIndex) = (color, color == Self.hole ? transparent : table.index(of: color) ?? 0)
      }
      indices[place] = previousIndex
    }
    return indices
  }
}
