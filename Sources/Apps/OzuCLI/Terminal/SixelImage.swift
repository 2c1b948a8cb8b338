import Ozu

/// Pictures for terminals with sixels: bands of six rows, in each a run of columns for every colour (DEC, "VT330/VT340
/// Programmer Reference Manual", volume 2, chapter 14).
enum SixelImage {
  /// The number in the primary device attributes of a terminal that shows sixels.
  static let attribute = 4

  /// The control sequences that show a bitmap at the cursor, in at most `colorCount` colours. Pixels with an alpha below
  /// one half keep the background.
  static func text(_ bitmap: BGRABitmap, colorCount: Int = 256) -> String {
    let palette = ColorPalette(bitmap, maximumCount: colorCount)
    // The second parameter leaves the background alone; then the raster attributes: square pixels, and the size.
    var text = Array("\u{1B}P0;1;0q\"1;1;\(bitmap.size.width);\(bitmap.size.height)".utf8)
    for (index, entry) in palette.entries.enumerated() {
      // Percentages, by the manual.
      let parts = [entry.color.red, entry.color.green, entry.color.blue].map { (Int($0) * 100 + 127) / 255 }
      text += "#\(index);2;\(parts[0]);\(parts[1]);\(parts[2])".utf8
    }
    for top in stride(from: 0, to: bitmap.size.height, by: 6) {
      writeBand(bitmap, top, palette, to: &text)
      text.append(UInt8(ascii: "-"))
    }
    text += "\u{1B}\\".utf8
    return String(decoding: text, as: UTF8.self)
  }

  private static func writeBand(
    _ bitmap: BGRABitmap, _ top: Int, _ palette: ColorPalette, to text: inout [UInt8]
  ) {
    let width = bitmap.size.width
    var columns = [Int: [UInt8]]()
    for y in top..<min(top + 6, bitmap.size.height) {
      bitmap.withRow(y) { row in
        for x in row.indices where row[x].alpha >= 128 {
          columns[palette.index(of: row[x]), default: [UInt8](repeating: 0, count: width)][x] |=
            1 << (y - top)
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
