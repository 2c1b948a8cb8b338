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
      let window = dialogue(tr("Properties"), over: parent)
      let content = box(GTK_ORIENTATION_VERTICAL, spacing: 12, [])
      setMargins(content, 24)
      gtk_window_set_child(window, content)
      fill(content, PictureFacts(main: [(tr("Name"), item.name)]))
      // The window may be closed before the facts are known.
      g_object_ref(ObjectPointer(content))
      Task {
        let facts = await PictureFacts.facts(of: item, pipeline, response)
        fill(content, facts)
        g_object_unref(ObjectPointer(content))
      }
      gtk_window_present(window)
      return window
    }

    private static func fill(_ content: Widget, _ facts: PictureFacts) {
      while let child = gtk_widget_get_first_child(content) {
        gtk_box_remove(cast(content, to: GtkBox.self), child)
      }
      let grid = table(facts.main)
      gtk_box_append(cast(content, to: GtkBox.self), grid)
      if let location = facts.location {
        let link: Widget = gtk_link_button_new_with_label(location.map, location.text)
        gtk_widget_set_halign(link, GTK_ALIGN_START)
        gtk_widget_add_css_class(link, "property-link")
        gtk_widget_set_tooltip_text(link, tr("Show on a map"))
        let row = gint(facts.main.count)
        gtk_grid_attach(cast(grid, to: GtkGrid.self), name(tr("Place")), 0, row, 1, 1)
        gtk_grid_attach(cast(grid, to: GtkGrid.self), link, 1, row, 1, 1)
      }
      guard !facts.all.isEmpty else { return }
      let expander: Widget = gtk_expander_new_with_mnemonic(tr("_All metadata"))
      let scrolled: Widget = gtk_scrolled_window_new()
      gtk_widget_set_size_request(scrolled, -1, 260)
      gtk_scrolled_window_set_policy(OpaquePointer(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
      let all = table(facts.all)
      gtk_widget_set_margin_top(all, 9)
      gtk_scrolled_window_set_child(OpaquePointer(scrolled), all)
      gtk_expander_set_child(OpaquePointer(expander), scrolled)
      gtk_box_append(cast(content, to: GtkBox.self), expander)
    }

    /// The number of letters of a name for which there is room.
    private static let longestName = 26

    private static func name(_ text: String) -> Widget {
      let name = label(text, "property-name")
      gtk_widget_set_halign(name, GTK_ALIGN_END)
      gtk_widget_set_valign(name, GTK_ALIGN_START)
      gtk_label_set_xalign(OpaquePointer(name), 1)
      // Names in XMP are paths.
      gtk_label_set_ellipsize(OpaquePointer(name), PANGO_ELLIPSIZE_START)
      gtk_label_set_width_chars(OpaquePointer(name), gint(min(text.count, longestName)))
      gtk_label_set_max_width_chars(OpaquePointer(name), gint(longestName))
      if text.count > longestName { gtk_widget_set_tooltip_text(name, text) }
      return name
    }

    private static func table(_ facts: [PictureFacts.Fact]) -> Widget {
      let grid: Widget = gtk_grid_new()
      gtk_grid_set_row_spacing(cast(grid, to: GtkGrid.self), 9)
      gtk_grid_set_column_spacing(cast(grid, to: GtkGrid.self), 18)
      for (row, fact) in facts.enumerated() {
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
        gtk_grid_attach(cast(grid, to: GtkGrid.self), name(fact.name), 0, gint(row), 1, 1)
        gtk_grid_attach(cast(grid, to: GtkGrid.self), value, 1, gint(row), 1, 1)
      }
      return grid
    }
  }
#endif
