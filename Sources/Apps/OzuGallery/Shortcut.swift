#if GTK
  import CGTK

  /// A key of the gallery: one table for the keyboard, the menus and the window that lists them.
  @MainActor
  struct Shortcut {
    /// The parts of the window that lists the keys. In this order its two columns are about equally long.
    enum Group: String, CaseIterable {
      case files = "Files"
      /// Keys that count while all pictures are shown.
      case grid = "All pictures"
      /// Keys that count while one picture is shown large.
      case detail = "One picture"
      case window = "Window"
    }

    /// The keys in GTK's notation: `<Control>o`. Menus show the first.
    let keys: [String]
    /// The name of the window's action.
    let action: String
    let title: String
    let group: Group
    /// The keys as the window that lists them has them; `nil` for a key that it does not have.
    let listed: String?

    /// The keys of a group, with spaces between those of one action.
    private static func rows(
      _ group: Group, _ rows: [(keys: String, action: String, title: String)]
    ) -> [Shortcut] {
      rows.map { row in
        let keys = row.keys.split(separator: " ").map(String.init)
        return Shortcut(
          keys: keys, action: row.action, title: row.title, group: group,
          listed: keys.prefix(2).joined(separator: " "))
      }
    }

    private static let stars = (0...5).map { count in
      // One line for all of them.
      Shortcut(
        keys: ["<Alt>\(count)"], action: "rate-\(count)", title: "Stars", group: .files,
        listed: count == 0 ? "<Alt>0...<Alt>5" : nil)
    }

    static let all = parts.flatMap { $0 }

    private static let parts: [[Shortcut]] = [
      rows(
        .files,
        [
          ("<Control>o", "open", "Open pictures"), ("<Control><Shift>o", "open-folder", "Open a folder"),
          ("<Control>c", "copy", "Copy"), ("Delete", "trash", "Move to trash"),
          ("<Control>z", "undo", "Undo"), ("<Control><Shift>s", "straighten", "Straighten"),
          ("<Control>p", "print", "Print"), ("F2", "rename", "Rename"),
        ]),
      stars,
      rows(
        .files,
        [
          ("<Alt>Return <Control>i", "properties", "Properties"),
          ("<Control>r", "turn-right", "Turn clockwise"),
          ("<Control><Shift>r", "turn-left", "Turn anticlockwise"),
        ]),
      rows(
        .detail,
        [
          ("<Control>s", "save-part", "Save the visible part"), ("Left", "left", "Picture on the left"),
          ("Right", "right", "Picture on the right"), ("Page_Down space", "next", "Next picture"),
          ("Page_Up BackSpace", "previous", "Previous picture"), ("Home", "first", "First picture"),
          ("End", "last", "Last picture"),
          ("plus equal <Control>plus <Control>equal KP_Add", "zoom-in", "Larger"),
          ("minus <Control>minus KP_Subtract", "zoom-out", "Smaller"),
          ("0 <Control>0", "zoom-fit", "Fit to the window"), ("1 <Control>1", "zoom-pixels", "Own pixels"),
          ("Escape", "back", "Back to all pictures"),
        ]),
      rows(
        .grid,
        [
          ("<Alt>Up BackSpace", "up", "Folder above"),
          ("<Control>plus <Control>equal <Control>KP_Add", "cells-larger", "Larger cells"),
          ("<Control>minus <Control>KP_Subtract", "cells-smaller", "Smaller cells"),
          ("<Control>a", "select-all", "Select all"), ("Escape", "back", "Select nothing"),
        ]),
      rows(
        .window,
        [
          ("F11", "fullscreen", "Full screen"), ("F5", "slideshow", "Slideshow"),
          ("<Control>f", "search", "Search"), ("<Control>n", "names", "Show names"),
          ("<Control>t", "filmstrip", "Show the filmstrip"), ("<Control>comma", "preferences", "Preferences"),
          ("<Control>question F1", "shortcuts", "Keyboard shortcuts"),
          ("<Control>w", "close", "Close the window"), ("<Control>q", "quit", "Quit"),
        ]),
    ]

    /// Whether an entry with the keyboard focus needs its keys: letters, digits, arrows and Escape without Control and Alt.
    var isTyped: Bool {
      keys.contains { !$0.hasPrefix("<Control>") && !$0.hasPrefix("<Alt>") && !$0.hasPrefix("F") }
    }

    /// The modifiers that count; others, such as Num Lock, are ignored.
    private static let modifiers =
      GDK_SHIFT_MASK.rawValue | GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue

    static func of(_ key: guint, _ pressed: GdkModifierType, isDetail: Bool) -> Shortcut? {
      let pressed = pressed.rawValue & modifiers
      return all.first { shortcut in
        guard shortcut.group != (isDetail ? .grid : .detail) else { return false }
        return shortcut.keys.contains { text in
          var (value, needed) = (guint(0), GdkModifierType(rawValue: 0))
          guard gtk_accelerator_parse(text, &value, &needed) != 0 else { return false }
          let isLetter = gdk_keyval_to_lower(value) != gdk_keyval_to_upper(value)
          if isLetter { return gdk_keyval_to_lower(key) == value && pressed == needed.rawValue }
          // Shift is needed to type `+` and `?`.
          return key == value
            && pressed & ~GDK_SHIFT_MASK.rawValue == needed.rawValue & ~GDK_SHIFT_MASK.rawValue
        }
      }
    }

    /// The key that a menu shows beside an action.
    static func key(of action: String) -> String? { all.first { $0.action == action }?.keys.first }
  }

  /// The window that lists the keys, in the style of GNOME's programs.
  @MainActor
  enum ShortcutsWindow {
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
      // With a second page GTK 4.8 warns of the labels of its buttons.
      let content = Shortcut.Group.allCases.map { group in
        let shortcuts = Shortcut.all.filter { $0.group == group }
        return object(
          "GtkShortcutsGroup", [("title", tr(group.rawValue))],
          shortcuts.compactMap { shortcut in
            shortcut.listed.map {
              object(
                "GtkShortcutsShortcut", [("title", tr(shortcut.title)), ("accelerator", $0)], [])
            }
          })
      }
      let section = object("GtkShortcutsSection", [("section-name", "all"), ("max-height", "26")], content)
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
