#if GTK
  import CGTK
  import Foundation
  import Ozu
  import OzuGTK

  /// A window with facts about a picture.
  @MainActor
  enum PropertiesWindow {
    /// Opens it over a window; the facts are added when the file has been read.
    ///
    /// - Parameter response: the response of the picture, if it is shown.
    @discardableResult
    static func open(
      over parent: UnsafeMutablePointer<GtkWindow>, _ item: PictureItem, _ pipeline: ImagePipeline,
      _ response: ImageResponse?
    ) -> UnsafeMutablePointer<GtkWindow> {
      let widget: Widget = gtk_window_new()
      let window = cast(widget, to: GtkWindow.self)
      gtk_window_set_title(window, "Properties")
      gtk_window_set_transient_for(window, parent)
      gtk_window_set_modal(window, 1)
      gtk_window_set_resizable(window, 0)
      gtk_window_set_titlebar(window, gtk_header_bar_new())
      let grid: Widget = gtk_grid_new()
      gtk_grid_set_row_spacing(cast(grid, to: GtkGrid.self), 9)
      gtk_grid_set_column_spacing(cast(grid, to: GtkGrid.self), 18)
      setMargins(grid, 24)
      gtk_window_set_child(window, grid)
      closeByEscape(window)
      fill(grid, [("Name", item.name)])
      // The window may be closed before the facts are known.
      g_object_ref(ObjectPointer(grid))
      Task {
        let facts = await PictureFacts.facts(of: item, pipeline, response)
        fill(grid, facts)
        g_object_unref(ObjectPointer(grid))
      }
      gtk_window_present(window)
      return window
    }

    private static func fill(_ grid: Widget, _ facts: [(name: String, value: String)]) {
      while let child = gtk_widget_get_first_child(grid) {
        gtk_grid_remove(cast(grid, to: GtkGrid.self), child)
      }
      for (row, fact) in facts.enumerated() {
        let name = label(fact.name, "property-name")
        gtk_widget_set_halign(name, GTK_ALIGN_END)
        gtk_widget_set_valign(name, GTK_ALIGN_START)
        let value = label(fact.value)
        gtk_widget_set_halign(value, GTK_ALIGN_START)
        gtk_label_set_xalign(OpaquePointer(value), 0)
        gtk_label_set_wrap(OpaquePointer(value), 1)
        gtk_label_set_wrap_mode(OpaquePointer(value), PANGO_WRAP_WORD_CHAR)
        // Without a width, GTK would compute a height for lines of one letter.
        gtk_label_set_width_chars(OpaquePointer(value), 40)
        gtk_label_set_max_width_chars(OpaquePointer(value), 40)
        gtk_label_set_selectable(OpaquePointer(value), 1)
        gtk_widget_set_can_focus(value, 0)
        gtk_grid_attach(cast(grid, to: GtkGrid.self), name, 0, gint(row), 1, 1)
        gtk_grid_attach(cast(grid, to: GtkGrid.self), value, 1, gint(row), 1, 1)
      }
    }

    /// Makes Escape close a window.
    static func closeByEscape(_ window: UnsafeMutablePointer<GtkWindow>) {
      let keys = gtk_event_controller_key_new()!
      SignalSource(keys).onKeys { key, _ in
        guard key == guint(GDK_KEY_Escape) else { return false }
        gtk_window_close(window)
        return true
      }
      gtk_widget_add_controller(cast(window, to: GtkWidget.self), keys)
    }
  }
#endif
