import Ozu

/// Several pictures of one size on one sheet.
enum ContactSheet {
  private static let margin = 12
  private static let background = Pixel(red: 32, green: 34, blue: 38)

  /// Makes a sheet, row by row.
  ///
  /// - Precondition: the pictures are of one size, and there is one at least.
  static func make(_ pictures: [Bitmap], columns: Int) -> Bitmap {
    let cell = pictures[0].size
    let columns = min(columns, pictures.count)
    let rows = (pictures.count + columns - 1) / columns
    let step = PixelSize(cell.width + margin, cell.height + margin)
    return Bitmap(size: PixelSize(margin + columns * step.width, margin + rows * step.height)) { x, y in
      let column = (x - margin) / step.width
      let row = (y - margin) / step.height
      let inside = PixelSize(x - margin - column * step.width, y - margin - row * step.height)
      let index = row * columns + column
      guard x >= margin, y >= margin, inside.width < cell.width, inside.height < cell.height,
        index < pictures.count
      else { return background }
      return pictures[index][inside.width, inside.height]
    }
  }
}
