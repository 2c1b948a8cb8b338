import Foundation
import Ozu
import OzuCodecs

/// Pictures for terminals with sixels: bands of six rows, in each a run of columns for every colour (DEC, "VT330/VT340
/// Programmer Reference Manual", volume 2, chapter 14).
enum SixelImage {
  /// The number in the primary device attributes of a terminal that shows sixels.
  static let attribute = 4

  /// The control sequences that show a bitmap at the cursor, in at most 256 colours. Pixels with an alpha below one half keep
  /// the background.
  static func text(_ bitmap: Bitmap) -> String {
    let bitmap = BGRABitmap(bitmap.reduced(toColors: 256, effort: .medium))
    var colors: [Pixel: Int] = [:]
    for y in 0..<bitmap.size.height {
      bitmap.withRow(y) { row in
        for x in row.indices where row[x].alpha >= 128 {
          let color = row[x]
          if colors[color] == nil { colors[color] = colors.count }
        }
      }
    }
    // The second parameter leaves the background alone; then the raster attributes: square pixels, and the size.
    var text = Array("\u{1B}P0;1;0q\"1;1;\(bitmap.size.width);\(bitmap.size.height)".utf8)
    for (color, index) in colors.sorted(by: { $0.value < $1.value }) {
      // Percentages, by the manual.
      let parts = [color.red, color.green, color.blue].map { (Int($0) * 100 + 127) / 255 }
      text += "#\(index);2;\(parts[0]);\(parts[1]);\(parts[2])".utf8
    }
    for top in stride(from: 0, to: bitmap.size.height, by: 6) {
      writeBand(bitmap, top, colors, to: &text)
      text.append(UInt8(ascii: "-"))
    }
    text += "\u{1B}\\".utf8
    return String(decoding: text, as: UTF8.self)
  }

  private static func writeBand(
    _ bitmap: BGRABitmap, _ top: Int, _ colors: [Pixel: Int], to text: inout [UInt8]
  ) {
    let width = bitmap.size.width
    var columns = [Int: [UInt8]]()
    for y in top..<min(top + 6, bitmap.size.height) {
      bitmap.withRow(y) { row in
        for x in row.indices {
          guard let color = colors[row[x]] else { continue }
          columns[color, default: [UInt8](repeating: 0, count: width)][x] |= 1 << (y - top)
        }
      }
    }
    for (position, color) in columns.keys.sorted().enumerated() {
      // Back to the left edge, for the next colour of the band.
      if position > 0 { text.append(UInt8(ascii: "$")) }
      text += "#\(color)".utf8
      writeRuns(columns[color] ?? [], to: &text)
    }
  }

  private static func writeRuns(_ columns: [UInt8], to text: inout [UInt8]) {
    var start = 0
    while start < columns.count {
      let end = columns[start...].firstIndex { $0 != columns[start] } ?? columns.count
      let isLast = end == columns.count
      if isLast, columns[start] == 0 { return }
      let sixel = columns[start] + 63
      let count = end - start
      text += count > 3 ? Array("!\(count)".utf8) + [sixel] : [UInt8](repeating: sixel, count: count)
      start = end
    }
  }
}

/// Pictures for terminals with the graphics protocol of kitty (sw.kovidgoyal.net/kitty/graphics-protocol): a PNG in
/// base64, in chunks.
enum KittyGraphics {
  /// Asks a terminal whether it knows the protocol: one pixel, which is not shown.
  static let query = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
  /// The beginning of the answer of a terminal that knows it.
  static let answer = "\u{1B}_Gi=31;OK"

  private static let chunkLength = 4096

  /// The control sequences that show a PNG at the cursor. The terminal is asked not to answer (`q=2`).
  static func text(png: Data) -> String {
    let encoded = [UInt8](png.base64EncodedData())
    var text = ""
    for start in stride(from: 0, to: encoded.count, by: chunkLength) {
      let end = min(start + chunkLength, encoded.count)
      let control = (start == 0 ? "a=T,f=100,q=2," : "") + "m=\(end < encoded.count ? 1 : 0)"
      text += "\u{1B}_G\(control);\(String(decoding: encoded[start..<end], as: UTF8.self))\u{1B}\\"
    }
    return text
  }
}

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
