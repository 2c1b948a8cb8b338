#if GTK
  import CGTK
  import OzuGTK

  /// The menus of a window, whose items are the window's actions.
  @MainActor
  enum Menus {
    enum Entry {
      /// A title with a mnemonic, and the name of the action, with its value as `order::name`.
      case item(String, String)
      /// A title, and the menu behind it.
      case menu(String, [[Entry]])
      /// A widget that is put into the menu under this name.
      case widget(String)
    }

    /// The name of the slider for the size of the cells in the menu of the header bar.
    static let sizeSlider = "cell-size"

    /// The menu of the button in the header bar.
    static func primary() -> UnsafeMutablePointer<GMenuModel> {
      menu([
        [.item(tr("_Open Pictures…"), "open"), .item(tr("Open _Folder…"), "open-folder")],
        [
          .menu(
            tr("S_ort"),
            [
              [
                .item(tr("By _Name"), "order::name"), .item(tr("By _Date"), "order::date"),
                .item(tr("By _Size"), "order::size"),
              ],
              [.item(tr("_Reversed"), "reversed")],
            ]),
          .item(tr("Select _All"), "select-all"), .item(tr("Only with S_tars"), "only-rated"),
        ],
        [.widget(sizeSlider)],
        [.item(tr("Show _Names"), "names"), .item(tr("Show F_ilmstrip"), "filmstrip")],
        [.item(tr("_Slideshow"), "slideshow"), .item(tr("F_ull Screen"), "fullscreen")],
        [
          .item(tr("_Preferences"), "preferences"), .item(tr("_Keyboard Shortcuts"), "shortcuts"),
          .item(tr("_About Gallery"), "about"),
        ],
      ])
    }

    /// The menu that a click with the second button opens over a picture.
    ///
    /// - Parameters:
    ///   - isDetail: whether the picture is shown large.
    ///   - isFile: whether it is a file of this machine.
    ///   - isSeveral: whether the menu is for several pictures.
    ///   - programs: the programs that open such files, with the names of their entries.
    static func context(
      isDetail: Bool, isFile: Bool, isSeveral: Bool, programs: [(title: String, id: String)]
    ) -> UnsafeMutablePointer<GMenuModel> {
      var first: [Entry] = []
      if !isDetail, !isSeveral { first.append(.item(tr("_Open"), "open-selected")) }
      if isFile {
        // A name may have a line below one of its letters by chance.
        let items = programs.map {
          Entry.item($0.title.replacingOccurrences(of: "_", with: "__"), "open-with::\($0.id)")
        }
        // The desktop asks; a sandbox sees no programs, but it does.
        let others: [Entry] = isSeveral ? [] : [.item(tr("_Another Program…"), "open-with-other")]
        if !items.isEmpty || !others.isEmpty { first.append(.menu(tr("Open _With"), [items, others])) }
      }
      var sections = [first]
      if !isSeveral { sections.append([.item(tr("_Copy"), "copy")]) }
      if isDetail || isFile {
        sections.append([
          .item(tr("Turn _Clockwise"), "turn-right"), .item(tr("Turn _Anticlockwise"), "turn-left"),
        ])
      }
      if isDetail {
        sections.append([.item(tr("F_ull Screen"), "fullscreen"), .item(tr("_Slideshow"), "slideshow")])
      }
      if isFile {
        let stars = (0...5).map { count in
          Entry.item(
            count == 0 ? tr("_None") : String(repeating: "★", count: count), "rate-\(count)")
        }
        sections.append([.menu(tr("Sta_rs"), [stars])])
        var files: [Entry] = [.item(tr("Copy _to…"), "copy-to"), .item(tr("_Move to…"), "move-to")]
        if !isSeveral { files.append(.item(tr("Strai_ghten…"), "straighten")) }
        if isDetail { files.append(.item(tr("Sa_ve Visible Part"), "save-part")) }
        if !isSeveral { files.insert(.item(tr("Re_name…"), "rename"), at: 0) }
        sections.append(files)
        var others: [Entry] = [.item(tr("Pr_int…"), "print"), .item(tr("Send by _E-mail…"), "send")]
        if !isSeveral { others.append(.item(tr("Set as Wa_llpaper"), "wallpaper")) }
        // A menu of its own, because one with all of them is higher than many windows.
        var rest: [Entry] = [
          .menu(tr("Print and Sen_d"), [others]), .item(tr("Move to Tras_h"), "trash"),
        ]
        if !isSeveral { rest.insert(.item(tr("_Show in Folder"), "show-in-folder"), at: 0) }
        sections.append(rest)
      }
      if !isSeveral { sections.append([.item(tr("_Properties"), "properties")]) }
      return menu(sections)
    }

    private static func menu(_ sections: [[Entry]]) -> UnsafeMutablePointer<GMenuModel> {
      let menu = g_menu_new()!
      for section in sections where !section.isEmpty {
        let items = g_menu_new()!
        for entry in section {
          let item = item(entry)
          g_menu_append_item(items, item)
          g_object_unref(ObjectPointer(item))
        }
        g_menu_append_section(menu, nil, model(items))
        g_object_unref(ObjectPointer(items))
      }
      return model(menu)
    }

    private static func item(_ entry: Entry) -> OpaquePointer {
      switch entry {
      case .item(let title, let action):
        let item = g_menu_item_new(title, "win.\(action)")!
        if let key = Shortcut.key(of: action) {
          g_menu_item_set_attribute_value(item, "accel", g_variant_new_string(key))
        }
        return item
      case .menu(let title, let sections):
        let submenu = menu(sections)
        defer { g_object_unref(ObjectPointer(submenu)) }
        return g_menu_item_new_submenu(title, submenu)
      case .widget(let name):
        let item = g_menu_item_new(nil, nil)!
        g_menu_item_set_attribute_value(item, "custom", g_variant_new_string(name))
        return item
      }
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
        // The action may remove the widget below, such as the cell of a picture that goes to the trash, and with it the menu.
        g_object_ref(popover)
        Task {
          gtk_widget_unparent(popover.assumingMemoryBound(to: GtkWidget.self))
          g_object_unref(popover)
        }
      }
      gtk_popover_popup(cast(popover, to: GtkPopover.self))
    }
  }
#endif
