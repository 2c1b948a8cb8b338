#if GTK
  import CGTK

  /// The window that lists the keys, in the style of GNOME's programs.
  @MainActor
  enum ShortcutsWindow {
    /// Opens it over a window.
    @discardableResult
    static func open(over parent: UnsafeMutablePointer<GtkWindow>) -> UnsafeMutablePointer<GtkWindow>? {
      guard let builder = gtk_builder_new_from_string(description, -1) else { return nil }
      defer { g_object_unref(UnsafeMutableRawPointer(builder)) }
      guard let object = gtk_builder_get_object(builder, "shortcuts") else { return nil }
      let window = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWindow.self)
      gtk_window_set_transient_for(window, parent)
      gtk_window_set_modal(window, 1)
      gtk_window_present(window)
      return window
    }

    private static var description: String {
      var groups: [(title: String, shortcuts: [Shortcut])] = []
      for shortcut in Shortcut.all {
        if groups.last?.title != shortcut.group { groups.append((shortcut.group, [])) }
        groups[groups.count - 1].shortcuts.append(shortcut)
      }
      let content = groups.map { group in
        object(
          "GtkShortcutsGroup", [("title", group.title)],
          group.shortcuts.map { shortcut in
            object(
              "GtkShortcutsShortcut",
              [("title", shortcut.title), ("accelerator", shortcut.keys.prefix(2).joined(separator: " "))], []
            )
          })
      }
      let section = object("GtkShortcutsSection", [("section-name", "all"), ("max-height", "24")], content)
      return """
        <interface><object class="GtkShortcutsWindow" id="shortcuts"><child>\(section)</child></object></interface>
        """
    }

    private static func object(_ type: String, _ properties: [(String, String)], _ children: [String])
      -> String
    {
      let properties = properties.map { "<property name=\"\($0.0)\">\(escaped($0.1))</property>" }.joined()
      let children = children.map { "<child>\($0)</child>" }.joined()
      return "<object class=\"\(type)\">\(properties)\(children)</object>"
    }

    private static func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
  }
#endif
