/// A square of a picture at one of its levels. Level 0 has its own pixels, and each further one half as many on a side.
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

  /// What is loaded for it: its part, at the size of its level.
  func resize(of picture: PixelSize) -> Resize {
    let part = region(of: picture)
    guard level > 0 else { return Resize(region: part) }
    func side(_ length: Int) -> Int { max(1, (length + 1 << level - 1) >> level) }
    // Stretched by less than a pixel at the picture's edges, so that tiles lie side by side.
    return Resize(PixelSize(side(part.size.width), side(part.size.height)), mode: .fill, region: part)
  }

  /// The level whose pixels are as large as those of the screen or smaller, down to half.
  static func level(for scale: Double) -> Int {
    var level = 0
    while level < 30, scale * Double(2 << level) <= 1 { level += 1 }
    return level
  }

  /// The tiles of a level that a view shows, those nearest to its middle first.
  static func visible(in geometry: ZoomGeometry) -> [ZoomTile] {
    let level = level(for: geometry.scale)
    let seen = geometry.visible
    guard seen.width > 0, seen.height > 0 else { return [] }
    let side = Double(Self.side << level)
    func range(_ start: Double, _ length: Double, _ whole: Int) -> ClosedRange<Int> {
      let last = max(0, Int((Double(whole) / side).rounded(.up)) - 1)
      let first = min(Int(start / side), last)
      return first...max(first, min(Int(((start + length) / side).rounded(.up)) - 1, last))
    }
    let columns = range(seen.x, seen.width, geometry.pictureSize.width)
    let rows = range(seen.y, seen.height, geometry.pictureSize.height)
    func distance(_ tile: ZoomTile) -> Double {
      let x = (Double(tile.column) + 0.5) * side - geometry.center.x
      let y = (Double(tile.row) + 0.5) * side - geometry.center.y
      return x * x + y * y
    }
    return rows.flatMap { row in columns.map { ZoomTile(level: level, column: $0, row: row) } }
      .map { ($0, distance($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
  }
}
