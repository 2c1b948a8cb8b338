#if GTK
  import CGTK
  import OzuGTK

  /// The menus of a window, whose items are the window's actions.
  @MainActor
  enum Menus {
    /// The menu of the button in the header bar.
    static func primary() -> UnsafeMutablePointer<GMenuModel> {
      menu([
        [("_Open Pictures…", "open"), ("Open _Folder…", "open-folder")],
        [("Show _Names", "names"), ("Show F_ilmstrip", "filmstrip")],
        [("_Slideshow", "slideshow"), ("F_ull Screen", "fullscreen")],
        [("_Preferences", "preferences"), ("_Keyboard Shortcuts", "shortcuts"), ("_About Gallery", "about")],
      ])
    }

    /// The menu that a click with the second button opens over a picture.
    ///
    /// - Parameters:
    ///   - isDetail: whether the picture is shown large.
    ///   - isFile: whether it is a file of this machine.
    static func context(isDetail: Bool, isFile: Bool) -> UnsafeMutablePointer<GMenuModel> {
      var sections = [[("_Copy", "copy")]]
      if isDetail {
        sections.append([("Turn _Clockwise", "turn-right"), ("Turn _Anticlockwise", "turn-left")])
        sections.append([("F_ull Screen", "fullscreen"), ("_Slideshow", "slideshow")])
      } else {
        sections.insert([("_Open", "open-selected")], at: 0)
      }
      if isFile { sections.append([("_Show in Folder", "show-in-folder"), ("_Move to Trash", "trash")]) }
      sections.append([("_Properties", "properties")])
      return menu(sections)
    }

    private static func menu(_ sections: [[(title: String, action: String)]]) -> UnsafeMutablePointer<
      GMenuModel
    > {
      let menu = g_menu_new()!
      for section in sections {
        let items = g_menu_new()!
        for (title, action) in section {
          let item = g_menu_item_new(title, "win.\(action)")!
          if let key = Shortcut.key(of: action) {
            g_menu_item_set_attribute_value(item, "accel", g_variant_new_string(key))
          }
          g_menu_append_item(items, item)
          g_object_unref(ObjectPointer(item))
        }
        g_menu_append_section(menu, nil, model(items))
        g_object_unref(ObjectPointer(items))
      }
      return model(menu)
    }

    private static func model(_ menu: OpaquePointer) -> UnsafeMutablePointer<GMenuModel> {
      UnsafeMutablePointer(menu)
    }

    /// Opens a context menu at a place of a widget. It is removed when it closes.
    static func open(_ model: UnsafeMutablePointer<GMenuModel>, over widget: Widget, _ x: Double, _ y: Double)
    {
      let popover: Widget = gtk_popover_menu_new_from_model(model)
      g_object_unref(ObjectPointer(model))
      gtk_widget_set_parent(popover, widget)
      gtk_popover_set_has_arrow(cast(popover, to: GtkPopover.self), 0)
      gtk_widget_set_halign(popover, GTK_ALIGN_START)
      var place = GdkRectangle(x: gint(x), y: gint(y), width: 1, height: 1)
      gtk_popover_set_pointing_to(cast(popover, to: GtkPopover.self), &place)
      // The chosen action runs after the menu has closed, and is found only while the menu is in the window.
      SignalSource(popover).on("closed") { popover in
        Task {
          gtk_widget_unparent(popover.assumingMemoryBound(to: GtkWidget.self))
        }
      }
      gtk_popover_popup(cast(popover, to: GtkPopover.self))
    }
  }
#endif
