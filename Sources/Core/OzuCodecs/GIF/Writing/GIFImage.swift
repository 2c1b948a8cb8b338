import OzuImaging

/// The indices of one image in a GIF, and their colours.
struct GIFImage {
  /// The indices of the region, row by row.
  let indices: [UInt8]
  /// The index of transparent pixels.
  let transparentIndex: Int?
  /// The colours of this image; `nil` if it uses the shared colours.
  let ownColors: GIFColorTable?
  /// The number of bits of an index.
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
    clears: Bool, sharing shared: inout GIFColorTable, effort: EncodingOptions.Effort
  ) {
    let pixels = GIFPaintedPixels(canvas, over: base, region: region)
    var own = GIFColorTable()
    let isExact =
      pixels.insertColors(into: &own)
      && own.count + (pixels.hasHoles ? 1 : 0) <= GIFColorTable.limit
    let isTransparent = pixels.hasHoles || clears && !(isExact && own.count == GIFColorTable.limit)
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
        of: pixels, count: GIFColorTable.limit - (isTransparent ? 1 : 0), effort: effort)
      own = GIFColorTable()
      for color in colors { _ = own.insert(color) }
      let palette = own.colors
      if isTransparent { _ = own.insertTransparency() }
      indices = ErrorDiffusion.indices(
        of: pixels, palette: palette, transparentIndex: UInt8(own.transparentIndex ?? 0),
        isDiffused: !pixels.isFlat)
    }
    (ownColors, transparentIndex, indexBitCount) = (own, own.transparentIndex, own.bitCount)
  }
}

/// The pixels of a region that a frame paints: colours, and holes where the canvas stays as it is.
struct GIFPaintedPixels {
  /// The value of a hole.
  static let hole = UInt32.max
  /// If at least this share of pixels equals its neighbour, the picture is flat: a drawing, whose areas must not be
  /// dithered.
  private static let flatShare = 0.5

  let size: PixelSize
  /// The colours row by row, or `hole`.
  let colors: [UInt32]
  let hasHoles: Bool
  /// Whether most pixels equal their left neighbour.
  let isFlat: Bool

  init(_ canvas: BGRABitmap, over base: BGRABitmap, region: PixelRectangle) {
    let size = region.size
    var colors = [UInt32](repeating: Self.hole, count: size.pixelCount)
    var (paintedCount, equalCount) = (0, 0)
    let columns = region.x..<region.x + size.width
    canvas.withPixels { pixels, rows in
      base.withPixels { basePixels, baseRows in
        for line in 0..<size.height {
          let row = pixels.extracting(rows[region.y + line]).extracting(columns)
          let below = basePixels.extracting(baseRows[region.y + line]).extracting(columns)
          var previous = Self.hole
          for x in 0..<size.width {
            let pixel = row[x]
            let color = pixel.alpha != 0 && pixel != below[x] ? pixel.color : Self.hole
            if color != Self.hole {
              colors[line * size.width + x] = color
              paintedCount += 1
              if color == previous { equalCount += 1 }
            }
            previous = color
          }
        }
      }
    }
    self.size = size
    self.colors = colors
    hasHoles = paintedCount < colors.count
    isFlat = Double(equalCount) > Self.flatShare * Double(paintedCount)
  }

  /// Adds all colours to a table; `false` if they do not fit.
  func insertColors(into table: inout GIFColorTable) -> Bool {
    var previous = Self.hole
    for color in colors where color != previous && color != Self.hole {
      guard table.insert(color) else { return false }
      previous = color
    }
    return true
  }

  /// The indices of the pixels. The table must contain all their colours.
  func indices(in table: GIFColorTable) -> [UInt8] {
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

/// Up to 256 colours in the order in which they were added; one index may be transparent. It finds the index of a
/// colour in constant time.
struct GIFColorTable {
  static let limit = 256
  /// Four times as many slots as colours, so that most searches end at the first slot.
  private static let slotCount = 1024
  private static let empty = UInt32.max

  /// The colours by index; 0 for the transparent index.
  private(set) var colors: [UInt32] = []
  /// The index of transparent pixels.
  private(set) var transparentIndex: Int?
  private var keys = [UInt32](repeating: empty, count: slotCount)
  private var values = [UInt8](repeating: 0, count: slotCount)

  var count: Int { colors.count }

  /// The number of bits of an index.
  var bitCount: Int { max(1, Int.bitWidth - max(0, count - 1).leadingZeroBitCount) }

  /// The table as the format stores it: three bytes for each index of `bitCount` bits.
  var bytes: [UInt8] {
    var bytes = colors.flatMap { [UInt8($0 >> 16), UInt8($0 >> 8 & 255), UInt8($0 & 255)] }
    bytes += [UInt8](repeating: 0, count: 3 << bitCount - bytes.count)
    return bytes
  }

  /// The slot of a colour, or the free slot for it.
  private func slot(_ color: UInt32) -> Int {
    var slot = Int((color &* 0x9E37_79B1) >> 22)
    while keys[slot] != Self.empty, keys[slot] != color { slot = (slot + 1) & (Self.slotCount - 1) }
    return slot
  }

  /// The index of a colour.
  func index(of color: UInt32) -> UInt8? {
    let slot = slot(color)
    return keys[slot] == color ? values[slot] : nil
  }

  /// Adds a colour unless it is in the table; `false` if the table is full.
  mutating func insert(_ color: UInt32) -> Bool {
    let slot = slot(color)
    if keys[slot] == color { return true }
    guard count < Self.limit else { return false }
    (keys[slot], values[slot]) = (color, UInt8(count))
    colors.append(color)
    return true
  }

  /// Adds a transparent index unless there is one; `false` if the table is full.
  mutating func insertTransparency() -> Bool {
    if transparentIndex != nil { return true }
    guard count < Self.limit else { return false }
    transparentIndex = count
    colors.append(0)
    return true
  }

  /// Adds the colours of a table and, if needed, transparency. If they do not all fit, it changes nothing and
  /// returns `false`.
  mutating func merge(_ other: GIFColorTable, needsTransparency: Bool) -> Bool {
    var merged = self
    for color in other.colors where !merged.insert(color) { return false }
    if needsTransparency, !merged.insertTransparency() { return false }
    self = merged
    return true
  }
}
