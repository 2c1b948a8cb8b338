#if GTK
  import CGTK

  /// A key of the gallery: one table for the keyboard, the menus and the window that lists them.
  @MainActor
  struct Shortcut {
    /// The situation in which a key counts.
    enum Scope {
      case always
      /// While one picture is shown large.
      case detail
      /// While all pictures are shown.
      case grid
    }

    /// The keys in GTK's notation: `<Control>o`. Menus show the first.
    let keys: [String]
    /// The name of the window's action.
    let action: String
    let title: String
    let group: String
    var scope = Scope.always
    /// The keys as the window that lists them has them; `nil` for a key that it does not have.
    var listed: String?

    init(
      keys: [String], action: String, title: String, group: String, scope: Scope = .always, listed: String?
    ) {
      (self.keys, self.action, self.title, self.group) = (keys, action, title, group)
      (self.scope, self.listed) = (scope, listed)
    }

    init(keys: [String], action: String, title: String, group: String, scope: Scope = .always) {
      self.init(
        keys: keys, action: action, title: title, group: group, scope: scope,
        listed: keys.prefix(2).joined(separator: " "))
    }

    static let all: [Shortcut] =
      [
        Shortcut(keys: ["<Control>o"], action: "open", title: "Open pictures", group: "Files"),
        Shortcut(keys: ["<Control><Shift>o"], action: "open-folder", title: "Open a folder", group: "Files"),
        Shortcut(keys: ["<Control>c"], action: "copy", title: "Copy", group: "Files"),
        Shortcut(keys: ["Delete"], action: "trash", title: "Move to trash", group: "Files"),
        Shortcut(keys: ["<Control>z"], action: "undo", title: "Undo", group: "Files"),
        Shortcut(
          keys: ["<Control>s"], action: "save-part", title: "Save the visible part", group: "One picture",
          scope: .detail),
        Shortcut(
          keys: ["<Control><Shift>s"], action: "straighten", title: "Straighten", group: "Files"),
        Shortcut(keys: ["<Control>p"], action: "print", title: "Print", group: "Files"),
        Shortcut(keys: ["F2"], action: "rename", title: "Rename", group: "Files"),
      ]
      + (0...5).map { count in
        // One line for all of them.
        Shortcut(
          keys: ["<Alt>\(count)"], action: "rate-\(count)", title: "Stars", group: "Files",
          listed: count == 0 ? "<Alt>0...<Alt>5" : nil)
      } + [
        Shortcut(
          keys: ["<Alt>Return", "<Control>i"], action: "properties", title: "Properties", group: "Files"),
        Shortcut(
          keys: ["Left"], action: "left", title: "Picture on the left", group: "One picture", scope: .detail),
        Shortcut(
          keys: ["Right"], action: "right", title: "Picture on the right", group: "One picture",
          scope: .detail),
        Shortcut(
          keys: ["Page_Down", "space"], action: "next", title: "Next picture", group: "One picture",
          scope: .detail),
        Shortcut(
          keys: ["Page_Up", "BackSpace"], action: "previous", title: "Previous picture", group: "One picture",
          scope: .detail),
        Shortcut(
          keys: ["Home"], action: "first", title: "First picture", group: "One picture", scope: .detail),
        Shortcut(keys: ["End"], action: "last", title: "Last picture", group: "One picture", scope: .detail),
        Shortcut(
          keys: ["plus", "equal", "<Control>plus", "<Control>equal", "KP_Add"], action: "zoom-in",
          title: "Larger",
          group: "One picture", scope: .detail),
        Shortcut(
          keys: ["minus", "<Control>minus", "KP_Subtract"], action: "zoom-out", title: "Smaller",
          group: "One picture", scope: .detail),
        Shortcut(
          keys: ["0", "<Control>0"], action: "zoom-fit", title: "Fit to the window", group: "One picture",
          scope: .detail),
        Shortcut(
          keys: ["1", "<Control>1"], action: "zoom-pixels", title: "Own pixels", group: "One picture",
          scope: .detail),
        Shortcut(
          keys: ["<Control>r"], action: "turn-right", title: "Turn clockwise", group: "Files"),
        Shortcut(
          keys: ["<Control><Shift>r"], action: "turn-left", title: "Turn anticlockwise", group: "Files"),
        Shortcut(
          keys: ["Escape"], action: "back", title: "Back to all pictures", group: "One picture",
          scope: .detail),
        Shortcut(
          keys: ["<Alt>Up", "BackSpace"], action: "up", title: "Folder above", group: "All pictures",
          scope: .grid),
        Shortcut(
          keys: ["<Control>plus", "<Control>equal", "<Control>KP_Add"], action: "cells-larger",
          title: "Larger cells", group: "All pictures", scope: .grid),
        Shortcut(
          keys: ["<Control>minus", "<Control>KP_Subtract"], action: "cells-smaller", title: "Smaller cells",
          group: "All pictures", scope: .grid),
        Shortcut(
          keys: ["<Control>a"], action: "select-all", title: "Select all", group: "All pictures", scope: .grid
        ),
        Shortcut(
          keys: ["Escape"], action: "back", title: "Select nothing", group: "All pictures", scope: .grid),
        Shortcut(keys: ["F11"], action: "fullscreen", title: "Full screen", group: "Window"),
        Shortcut(keys: ["F5"], action: "slideshow", title: "Slideshow", group: "Window"),
        Shortcut(keys: ["<Control>f"], action: "search", title: "Search", group: "Window"),
        Shortcut(keys: ["<Control>n"], action: "names", title: "Show names", group: "Window"),
        Shortcut(keys: ["<Control>t"], action: "filmstrip", title: "Show the filmstrip", group: "Window"),
        Shortcut(keys: ["<Control>comma"], action: "preferences", title: "Preferences", group: "Window"),
        Shortcut(
          keys: ["<Control>question", "F1"], action: "shortcuts", title: "Keyboard shortcuts", group: "Window"
        ),
        // Not for those who look at pictures.
        Shortcut(
          keys: ["<Control><Shift>d"], action: "developer", title: "Counters", group: "Window", listed: nil),
        Shortcut(keys: ["<Control>w"], action: "close", title: "Close the window", group: "Window"),
        Shortcut(keys: ["<Control>q"], action: "quit", title: "Quit", group: "Window"),
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
        guard shortcut.scope == .always || (shortcut.scope == .detail) == isDetail else { return false }
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
      // In this order two columns are about equally long. With a second page GTK 4.8 warns of the labels of its buttons.
      var groups: [(title: String, shortcuts: [Shortcut])] = [
        "Files", "All pictures", "One picture", "Window",
      ].map { ($0, []) }
      for shortcut in Shortcut.all where shortcut.listed != nil {
        if let index = groups.firstIndex(where: { $0.title == shortcut.group }) {
          groups[index].shortcuts.append(shortcut)
        } else {
          groups.append((shortcut.group, [shortcut]))
        }
      }
      let content = groups.map { group in
        object(
          "GtkShortcutsGroup", [("title", tr(group.title))],
          group.shortcuts.map { shortcut in
            object(
              "GtkShortcutsShortcut",
              [
                ("title", tr(shortcut.title)),
                ("accelerator", shortcut.listed ?? ""),
              ], []
            )
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
