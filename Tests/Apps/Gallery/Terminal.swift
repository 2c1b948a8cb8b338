#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A terminal as far as `ozu` needs one: a grid of characters with 24-bit colours.
  @MainActor
  struct Terminal {
    /// A character and its colours; `nil` for those of the terminal.
    private struct Cell {
      var character: Character = " "
      var foreground: Colour?
      var background: Colour?
    }

    private struct Colour: Equatable {
      let red, green, blue: Int

      var rgba: GdkRGBA {
        GdkRGBA(red: Float(red) / 255, green: Float(green) / 255, blue: Float(blue) / 255, alpha: 1)
      }
    }

    private static let paper = Colour(red: 24, green: 26, blue: 31)
    private static let ink = Colour(red: 214, green: 217, blue: 222)
    /// A cell is twice as high as it is wide, so that each half is a square.
    private static let cellSize = (width: 9, height: 18)
    private static let margin = 16

    private var rows: [[Cell]] = [[]]
    private var pen = Cell()

    /// Shows a text with the escape sequences for colours.
    init(_ text: String) {
      var rest = text[...]
      while let character = rest.popFirst() {
        switch character {
        case "\n", "\r\n": rows.append([])
        case "\u{1B}":
          guard let end = rest.firstIndex(of: "m") else { return }
          setPen(rest[..<end].dropFirst().split(separator: ";").compactMap { Int($0) })
          rest = rest[rest.index(after: end)...]
        default:
          var cell = pen
          cell.character = character
          rows[rows.count - 1].append(cell)
        }
      }
      while rows.last?.isEmpty == true { rows.removeLast() }
    }

    private mutating func setPen(_ codes: [Int]) {
      guard codes.count == 5, codes[1] == 2 else {
        pen = Cell()
        return
      }
      let colour = Colour(red: codes[2], green: codes[3], blue: codes[4])
      if codes[0] == 38 { pen.foreground = colour } else { pen.background = colour }
    }

    // MARK: Drawing

    /// The size in pixels of a number of columns and all rows.
    func size(columns: Int) -> PixelSize {
      PixelSize(
        columns * Self.cellSize.width + 2 * Self.margin, rows.count * Self.cellSize.height + 2 * Self.margin)
    }

    /// Draws everything.
    func draw(into snapshot: OpaquePointer, size: PixelSize, context: OpaquePointer) {
      fill(snapshot, 0, 0, size.width, size.height, Self.paper)
      for (line, row) in rows.enumerated() {
        let y = Self.margin + line * Self.cellSize.height
        for (column, cell) in row.enumerated() where cell.character != " " || cell.background != nil {
          draw(cell, Self.margin + column * Self.cellSize.width, y, into: snapshot, context)
        }
      }
    }

    private func draw(
      _ cell: Cell, _ x: Int, _ y: Int, into snapshot: OpaquePointer, _ context: OpaquePointer
    ) {
      let (width, height) = Self.cellSize
      if let background = cell.background { fill(snapshot, x, y, width, height, background) }
      // Fonts leave a gap round their blocks, terminals do not.
      guard cell.character != "▀" else {
        return fill(snapshot, x, y, width, height / 2, cell.foreground ?? Self.ink)
      }
      let layout = pango_layout_new(context)!
      defer { g_object_unref(ObjectPointer(layout)) }
      pango_layout_set_text(layout, String(cell.character), -1)
      gtk_snapshot_save(snapshot)
      var origin = graphene_point_t(x: Float(x), y: Float(y))
      gtk_snapshot_translate(snapshot, &origin)
      var ink = (cell.foreground ?? Self.ink).rgba
      gtk_snapshot_append_layout(snapshot, layout, &ink)
      gtk_snapshot_restore(snapshot)
    }

    private func fill(
      _ snapshot: OpaquePointer, _ x: Int, _ y: Int, _ width: Int, _ height: Int, _ colour: Colour
    ) {
      var (rgba, bounds) = (colour.rgba, graphene_rect_t())
      graphene_rect_init(&bounds, Float(x), Float(y), Float(width), Float(height))
      gtk_snapshot_append_color(snapshot, &rgba, &bounds)
    }

    /// The font: its letters are as wide as a cell.
    static func context(of widget: UnsafeMutablePointer<GtkWidget>) -> OpaquePointer {
      let context = gtk_widget_create_pango_context(widget)!
      let font = pango_font_description_from_string("DejaVu Sans Mono")!
      pango_font_description_set_absolute_size(font, 15 * Double(PANGO_SCALE))
      pango_context_set_font_description(context, font)
      pango_font_description_free(font)
      return context
    }
  }
#endif
