import OzuBase

/// A square of a picture at one of its levels. Level 0 has the pixels of the picture; each further level has half as
/// many on each side.
struct ZoomTile: Hashable, Sendable {
  var level: Int
  var column: Int
  var row: Int

  /// The side of a tile, in pixels of the level.
  static let side = 512

  /// The part of the picture that it shows, in pixels of the picture.
  func region(of picture: PixelSize) -> PixelRectangle {
    let side = Self.side << level
    let (x, y) = (column * side, row * side)
    return PixelRectangle(
      x: x, y: y, width: min(side, picture.width - x), height: min(side, picture.height - y))
  }

  /// The resize that loads it: its part, at the size of its level.
  func resize(of picture: PixelSize) -> Resize {
    let part = region(of: picture)
    guard level > 0 else { return Resize(region: part) }
    // Stretched by less than a pixel at the picture's edges, so that tiles fit side by side.
    let size = PixelSize(Self.side(part.size.width, at: level), Self.side(part.size.height, at: level))
    return Resize(size, mode: .fill, region: part)
  }

  /// The length in pixels of a level for a length in pixels of the picture.
  static func side(_ length: Int, at level: Int) -> Int { max(1, (length + 1 << level - 1) >> level) }

  /// The level whose pixels are as large as those of the screen, or down to half as large.
  static func level(for scale: Double) -> Int {
    var level = 0
    while level < 30, scale * Double(2 << level) <= 1 { level += 1 }
    return level
  }

  /// The numbers of columns and rows of a level.
  static func counts(of picture: PixelSize, level: Int) -> (columns: Int, rows: Int) {
    let side = side << level
    return (
      max(1, (picture.width + side - 1) / side), max(1, (picture.height + side - 1) / side)
    )
  }

  /// The columns of a level that a view shows; `nil` if it shows none.
  static func columns(in geometry: ZoomGeometry, level: Int) -> ClosedRange<Int>? {
    let seen = geometry.visible
    return range(seen.x, seen.width, of: counts(of: geometry.pictureSize, level: level).columns, level)
  }

  /// The rows of a level that a view shows; `nil` if it shows none.
  static func rows(in geometry: ZoomGeometry, level: Int) -> ClosedRange<Int>? {
    let seen = geometry.visible
    return range(seen.y, seen.height, of: counts(of: geometry.pictureSize, level: level).rows, level)
  }

  private static func range(_ start: Double, _ length: Double, of count: Int, _ level: Int)
    -> ClosedRange<Int>?
  {
    guard length > 0 else { return nil }
    let side = Double(side << level)
    let first = min(Int(clamping: start / side), count - 1)
    return first...max(first, min(Int(clamping: (start + length) / side, rounded: .up), count) - 1)
  }

  /// The tiles that a view shows at a level, those nearest to its middle first.
  ///
  /// - Parameter finest: the finest available level; the level of the view is used if it is coarser.
  static func visible(in geometry: ZoomGeometry, finest: Int = 0) -> [ZoomTile] {
    let level = max(finest, level(for: geometry.scale))
    guard let columns = columns(in: geometry, level: level), let rows = rows(in: geometry, level: level)
    else { return [] }
    let side = Double(side << level)
    func distance(_ tile: ZoomTile) -> Double {
      let x = (Double(tile.column) + 0.5) * side - geometry.center.x
      let y = (Double(tile.row) + 0.5) * side - geometry.center.y
      return x * x + y * y
    }
    return rows.flatMap { row in columns.map { ZoomTile(level: level, column: $0, row: row) } }
      .map { ($0, distance($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
  }
}
