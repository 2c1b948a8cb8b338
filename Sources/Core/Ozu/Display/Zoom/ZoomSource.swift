import OzuImaging

/// The plan of the pixels to decode and keep, so that squares are cut from them and none needs its own decode.
///
/// A pure function of the geometry and the budget. The whole picture at the finest level that fits into the budget
/// serves that level and all coarser ones. When a finer level is visible, a part of it is kept: the visible part, and
/// evenly on all sides as much around it as fits. Parts begin and end at squares of their level, or at the picture's
/// edges.
struct ZoomSource: Hashable, Sendable {
  /// The level of its pixels.
  private(set) var level: Int
  /// The part that it shows, in pixels of the picture.
  private(set) var region: PixelRectangle
  /// Whether that is the whole picture.
  private(set) var isWhole: Bool

  /// The number of pixels that a filter reads beyond the edge of a square, for each pixel of the square's level.
  private static let reach = 3

  /// Computes the plan.
  ///
  /// - Parameters:
  ///   - format: the format of the pixels.
  ///   - mayBePart: whether a part can be decoded; otherwise the whole is kept, and finer levels are not shown.
  init(for geometry: ZoomGeometry, format: PixelFormat, byteBudget: Int, mayBePart: Bool) {
    let picture = geometry.pictureSize
    func fits(_ source: ZoomSource) -> Bool { source.size.bitmapByteCount(as: format) <= byteBudget }
    var level = 0
    while level < 30, !fits(ZoomSource(level: level, whole: picture)) { level += 1 }
    let whole = ZoomSource(level: level, whole: picture)
    let seenLevel = ZoomTile.level(for: geometry.scale)
    self = whole
    guard mayBePart, seenLevel < level else { return }
    for level in seenLevel..<level {
      guard var columns = ZoomTile.columns(in: geometry, level: level),
        var rows = ZoomTile.rows(in: geometry, level: level),
        case var part = ZoomSource(level: level, columns: columns, rows: rows, picture), fits(part)
      else { continue }
      let all = ZoomTile.counts(of: picture, level: level)
      while columns.count < all.columns || rows.count < all.rows {
        columns = max(0, columns.lowerBound - 1)...min(all.columns - 1, columns.upperBound + 1)
        rows = max(0, rows.lowerBound - 1)...min(all.rows - 1, rows.upperBound + 1)
        let larger = ZoomSource(level: level, columns: columns, rows: rows, picture)
        guard fits(larger) else { break }
        part = larger
      }
      self = part
      return
    }
  }

  private init(level: Int, whole picture: PixelSize) {
    self.level = level
    region = PixelRectangle(x: 0, y: 0, width: picture.width, height: picture.height)
    isWhole = true
  }

  private init(level: Int, columns: ClosedRange<Int>, rows: ClosedRange<Int>, _ picture: PixelSize) {
    let first = ZoomTile(level: level, column: columns.lowerBound, row: rows.lowerBound).region(of: picture)
    let last = ZoomTile(level: level, column: columns.upperBound, row: rows.upperBound).region(of: picture)
    self.level = level
    region = PixelRectangle(
      x: first.x, y: first.y, width: last.x + last.size.width - first.x,
      height: last.y + last.size.height - first.y)
    isWhole = false
  }

  var size: PixelSize {
    PixelSize(ZoomTile.side(region.size.width, at: level), ZoomTile.side(region.size.height, at: level))
  }

  /// The resize that loads it; `nil` for the whole picture at its own size.
  var resize: Resize? {
    if isWhole { return level == 0 ? nil : Resize(size, mode: .fill) }
    return level == 0 ? Resize(region: region) : Resize(size, mode: .fill, region: region)
  }

  /// Whether a square can be cut from it, including the pixels that filters read around it.
  func serves(_ tile: ZoomTile, of picture: PixelSize) -> Bool {
    guard tile.level >= level else { return false }
    let part = tile.region(of: picture)
    let reach = tile.level == level ? 0 : Self.reach << tile.level
    func lies(_ start: Int, _ length: Int, in own: Int, _ ownLength: Int, _ whole: Int) -> Bool {
      max(0, start - reach) >= own && min(whole, start + length + reach) <= own + ownLength
    }
    return lies(part.x, part.size.width, in: region.x, region.size.width, picture.width)
      && lies(part.y, part.size.height, in: region.y, region.size.height, picture.height)
  }

  /// The resize that cuts a square from its pixels: unscaled at its own level, and halved for each coarser one.
  ///
  /// Each pixel counts as exactly `2^level` pixels of the picture. The last column and row may be smaller; pixels far
  /// from the beginning are then shown less than one pixel of the level out of place, and no square is blurred.
  func resize(for tile: ZoomTile, of picture: PixelSize) -> Resize {
    let part = tile.region(of: picture)
    func place(_ start: Int, _ length: Int, _ own: Int, _ count: Int) -> (start: Int, length: Int) {
      let start = min((start - own) >> level, count - 1)
      return (start, min(ZoomTile.side(length, at: level), count - start))
    }
    let (x, width) = place(part.x, part.size.width, region.x, size.width)
    let (y, height) = place(part.y, part.size.height, region.y, size.height)
    let cut = PixelRectangle(x: x, y: y, width: width, height: height)
    let output = PixelSize(
      ZoomTile.side(part.size.width, at: tile.level), ZoomTile.side(part.size.height, at: tile.level))
    return output == cut.size ? Resize(region: cut) : Resize(output, mode: .fill, region: cut)
  }
}
