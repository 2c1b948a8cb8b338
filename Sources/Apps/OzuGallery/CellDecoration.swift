#if GTK
  import CGTK
  import OzuGTK

  /// What the gallery puts over the cells of its grid: the stars of a picture, or the symbol and the name of a folder.
  @MainActor
  final class CellDecoration {
    /// The symbol of a folder with its name, over the place of the picture.
    private var folder: (content: Widget, icon: Widget, name: Widget)?
    /// The stars, in a corner of the picture.
    private var stars: Widget?
    private let overlay: OpaquePointer

    init(_ cell: ImageGridCell) { overlay = OpaquePointer(cell.status.widget) }

    /// Shows what belongs to an item.
    ///
    /// - Parameter side: the length of the cell's side, in points.
    func show(_ item: PictureItem, side: Int) {
      showStars(item.rating)
      if item.folder != nil { showFolder(item.name, side) } else { hideFolder() }
    }

    /// Sets the length of the cell's side, in points.
    func setSide(_ side: Int) {
      if let folder { gtk_image_set_pixel_size(OpaquePointer(folder.icon), gint(side * 2 / 5)) }
    }

    private func hideFolder() {
      if let folder { gtk_widget_set_visible(folder.content, 0) }
    }

    private func showFolder(_ name: String, _ side: Int) {
      let folder = folder ?? makeFolder()
      self.folder = folder
      setSide(side)
      gtk_label_set_text(OpaquePointer(folder.name), name)
      gtk_widget_set_tooltip_text(folder.content, name)
      gtk_widget_set_visible(folder.content, 1)
    }

    private func makeFolder() -> (content: Widget, icon: Widget, name: Widget) {
      let icon: Widget = gtk_image_new_from_icon_name("folder-symbolic")
      let name = label("")
      gtk_label_set_ellipsize(OpaquePointer(name), PANGO_ELLIPSIZE_MIDDLE)
      gtk_label_set_max_width_chars(OpaquePointer(name), 8)
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 6, [icon, name])
      gtk_widget_add_css_class(content, "folder")
      gtk_widget_set_valign(content, GTK_ALIGN_CENTER)
      gtk_overlay_add_overlay(overlay, content)
      return (content, icon, name)
    }

    private func showStars(_ rating: Int) {
      guard rating > 0 else {
        if let stars { gtk_widget_set_visible(stars, 0) }
        return
      }
      let stars = self.stars ?? makeStars()
      self.stars = stars
      gtk_label_set_text(OpaquePointer(stars), String(repeating: "★", count: rating))
      gtk_widget_set_visible(stars, 1)
    }

    private func makeStars() -> Widget {
      let stars = label("", "stars")
      gtk_widget_set_halign(stars, GTK_ALIGN_START)
      gtk_widget_set_valign(stars, GTK_ALIGN_END)
      gtk_widget_set_can_target(stars, 0)
      gtk_overlay_add_overlay(overlay, stars)
      return stars
    }
  }
#endif
