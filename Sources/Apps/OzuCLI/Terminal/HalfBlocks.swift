import Ozu

/// Draws pictures as text: each character cell shows two pixels, one above the other, as an upper half block in one colour on
/// the other, in the colours that the terminal has.
enum HalfBlocks {
  /// A row of pictures beside each other.
  ///
  /// - Parameters:
  ///   - cells: the width of each picture in characters.
  static func row(_ pictures: [Bitmap], cells: Int) -> String {
    let images = pictures.map { bitmap in
      let resize = Resize(PixelSize(cells, cells * 2), allowsUpscaling: false)
      return Picture(bitmap).resized(resize).bitmap
    }
    let height = images.map { ($0.size.height + 1) / 2 }.max() ?? 0
    return (0..<height).map { line in
      images.map { cellLine($0, line, cells: cells) }.joined(separator: " ")
    }.joined(separator: "\n")
  }

  /// One picture, a cell for each pixel across.
  static func text(_ bitmap: Bitmap, _ colors: TerminalColors = .all) -> String {
    (0..<(bitmap.size.height + 1) / 2).map { cellLine(bitmap, $0, cells: bitmap.size.width, colors) }
      .joined(separator: "\n")
  }

  private static func cellLine(
    _ image: Bitmap, _ line: Int, cells: Int, _ colors: TerminalColors = .all
  ) -> String {
    let top = line * 2
    guard top < image.size.height else { return String(repeating: " ", count: cells) }
    let bottom = min(top + 1, image.size.height - 1)
    var text = ""
    for x in 0..<min(cells, image.size.width) {
      let upper = image[x, top]
      let lower = image[x, bottom]
      text += "\u{1B}[\(colors.attribute(of: upper, isBackground: false))m"
      text += "\u{1B}[\(colors.attribute(of: lower, isBackground: true))m▀"
    }
    return text + "\u{1B}[0m" + String(repeating: " ", count: max(0, cells - image.size.width))
  }
}
