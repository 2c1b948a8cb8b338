#if GTK
  import CGTK
  import OzuGTK

  /// The widgets of a window, and their signals.
  extension GalleryWindow {
    func layOut() {
      gtk_window_set_default_size(window, gint(memory.width), gint(memory.height))
      if memory.isMaximized { gtk_window_maximize(window) }
      gtk_window_set_icon_name(window, Gallery.identifier)
      gtk_window_set_titlebar(window, header())
      AccessibleName.set(tr("Search"), of: search)
      gtk_search_bar_set_child(OpaquePointer(searchBar), search)
      gtk_search_bar_connect_entry(OpaquePointer(searchBar), OpaquePointer(search))
      gtk_widget_set_size_request(search, 320, -1)
      gtk_stack_add_named(stack, grid.widget, "grid")
      gtk_widget_set_vexpand(page.widget, 1)
      gtk_stack_add_named(stack, box(GTK_ORIENTATION_VERTICAL, [page.widget, filmstrip.widget]), "detail")
      gtk_stack_add_named(stack, startPage.widget, "start")
      gtk_stack_set_transition_type(stack, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
      let overlay: Widget = gtk_overlay_new()
      gtk_overlay_set_child(
        OpaquePointer(overlay),
        box(GTK_ORIENTATION_VERTICAL, [searchBar, Widget(stack), actionBar]))
      gtk_overlay_add_overlay(OpaquePointer(overlay), toast.widget)
      gtk_window_set_child(window, overlay)
    }

    private func fitTools() {
      var (width, height) = (gint(0), gint(0))
      gtk_window_get_default_size(window, &width, &height)
      fitTools(to: Int(width))
    }

    private func header() -> Widget {
      let header: Widget = gtk_header_bar_new()
      for widget in [backButton, tools, upButton] { gtk_widget_set_visible(widget, 0) }
      for widget in [backButton, upButton, openButton, searchButton] {
        gtk_header_bar_pack_start(OpaquePointer(header), widget)
      }
      let menu: Widget = gtk_menu_button_new()
      gtk_menu_button_set_icon_name(OpaquePointer(menu), "open-menu-symbolic")
      gtk_widget_set_tooltip_text(menu, tr("Main menu"))
      AccessibleName.set(tr("Main menu"), of: menu)
      gtk_menu_button_set_primary(OpaquePointer(menu), 1)
      let model = Menus.primary()
      gtk_menu_button_set_menu_model(OpaquePointer(menu), model)
      g_object_unref(ObjectPointer(model))
      if let popover = gtk_menu_button_get_popover(OpaquePointer(menu)) {
        gtk_popover_menu_add_child(OpaquePointer(popover), sizeSlider(), Menus.sizeSlider)
      }
      for widget in [menu, tools] { gtk_header_bar_pack_end(OpaquePointer(header), widget) }
      for text in [titleLabel, subtitleLabel] {
        gtk_label_set_ellipsize(OpaquePointer(text), PANGO_ELLIPSIZE_MIDDLE)
        gtk_label_set_single_line_mode(OpaquePointer(text), 1)
      }
      let titles = box(GTK_ORIENTATION_VERTICAL, [titleLabel, subtitleLabel])
      gtk_widget_set_valign(titles, GTK_ALIGN_CENTER)
      gtk_header_bar_set_title_widget(OpaquePointer(header), titles)
      return header
    }

    func connectSignals() {
      SignalSource(search).on("search-changed") { [weak self] _ in self?.followSearch() }
      SignalSource(search).on("activate") { [weak self] _ in
        // GTK tells of changes a moment after the last key.
        self?.followSearch()
        self?.open(at: 0)
      }
      SignalSource(search).on("stop-search") { [weak self] _ in self?.endSearch() }
      detail.onZoom = { [weak self] in
        guard let self else { return }
        zoomControl.show(detail.zoom.scale)
      }
      zoomControl.onChoice = { [weak self] scale in
        guard let self else { return }
        detail.zoom(to: scale)
        detail.zoom.grabFocus()
      }
      filmstrip.onActivate = { [weak self] position in self?.open(at: position) }
      grid.onActivate = { [weak self] position in self?.open(at: position) }
      grid.onFolder = { [weak self] folder in self?.show(.folder(folder)) }
      grid.onSelection = { [weak self] in self?.updateSelection() }
      grid.onMenu = { [weak self] position, widget, x, y in
        guard let self else { return }
        if !grid.isSelected(position) { grid.select(position) }
        openMenu(over: widget, x, y)
      }
      followWheel()
      preferences.onMemory = { [weak self] memory in
        guard let self else { return }
        self.memory.showsNames = memory.showsNames
        self.memory.appearance = memory.appearance
        self.memory.mode = memory.mode
        self.memory.hasRoundedCorners = memory.hasRoundedCorners
        self.memory.slideSeconds = memory.slideSeconds
        grid.style = memory.style
      }
      SignalSource(window).onRequest("close-request") { [weak self] in
        self?.remember()
        return false
      }
      SignalSource(window).on("destroy") { [weak self] _ in
        guard let self else { return }
        slideshow?.cancel()
        turns.cancel()
        dateReading?.cancel()
        watch = nil
        // Answers that come now find no widgets.
        showNumber += 1
        onClose()
      }
      // GTK changes the default size with the size that the user gives the window.
      SignalSource(window).on("notify::default-width") { [weak self] _ in self?.fitTools() }
      fitTools()
      SignalSource(window).on("notify::fullscreened") { [weak self] _ in
        guard let self else { return }
        page.isFullscreen = gtk_window_is_fullscreen(window) != 0
      }
      let keys = gtk_event_controller_key_new()!
      gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
      SignalSource(keys).onKeys { [weak self] key, modifiers in self?.press(key, modifiers) ?? false }
      gtk_widget_add_controller(cast(window, to: GtkWidget.self), keys)
      let click = gtk_gesture_click_new()!
      gtk_gesture_single_set_button(click, 3)
      SignalSource(click).onClick { [weak self] _, x, y in
        if let self { openMenu(over: page.widget, x, y) }
      }
      gtk_widget_add_controller(page.widget, click)
    }
  }
#endif
