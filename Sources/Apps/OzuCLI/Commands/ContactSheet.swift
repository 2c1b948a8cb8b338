import Ozu

/// Several pictures of one size on one sheet, in rows from the top.
struct ContactSheet: Sendable {
  /// The most pictures beside each other; fewer pictures make a narrower sheet.
  let columns: Int
  /// The size of every picture.
  let cell: PixelSize
  /// Pixels around and between the pictures.
  var gap = 12
  var background = ColorValue(red: 32, green: 34, blue: 38)

  /// The same sheet with higher cells.
  func withRoom(below height: Int) -> ContactSheet {
    ContactSheet(
      columns: columns, cell: PixelSize(cell.width, cell.height + height), gap: gap, background: background)
  }

  /// The size of a sheet of `count` pictures; `nil` if a number of it is too large.
  func size(of count: Int) -> PixelSize? {
    let across = min(columns, count)
    guard across > 0, let width = side(across, cell.width),
      let height = side((count - 1) / across + 1, cell.height)
    else { return nil }
    return PixelSize(width, height)
  }

  private func side(_ count: Int, _ length: Int) -> Int? {
    let (inner, isOver) = count.multipliedReportingOverflow(by: length + gap)
    return isOver || inner > Self.longestSide - gap ? nil : inner + gap
  }

  /// The longest side of a picture in most formats.
  private static let longestSide = 65_535

  /// Draws a sheet, row by row.
  ///
  /// - Parameter pictures: at least one, each of the size of a cell; the background shows through transparent pixels.
  /// - Precondition: `size(of:)` knows the size.
  func drawn(_ pictures: [Bitmap]) -> Bitmap {
    guard let size = size(of: pictures.count) else { preconditionFailure("the sheet is too large") }
    let across = min(columns, pictures.count)
    let (step, base) = (PixelSize(cell.width + gap, cell.height + gap), background.pixel)
    let cells = pictures.map { BGRABitmap($0) }
    let isOpaque = background.alpha == 255
    return BGRABitmap(size: size, isOpaque: isOpaque) { y, row in
      for x in row.indices { row[x] = base }
      let (line, inner) = ((y - gap) / step.height, (y - gap) % step.height)
      guard y >= gap, inner < cell.height else { return }
      for column in 0..<across where line * across + column < cells.count {
        let left = gap + column * step.width
        cells[line * across + column].withRow(inner) { pixels in
          for x in pixels.indices { row[left + x] = pixels[x].over(base) }
        }
      }
    }.bitmap
  }
}
